import type { CallNode } from "../state.ts";
import { type Badge, badgeOf } from "./badge.ts";
import { describeCommand } from "./command.ts";
import { describeProblem, type ProblemFacts } from "./problem.ts";
import { summaryOf } from "./summary.ts";
import { oneLine } from "./text.ts";
import { callTime, type Time } from "./time.ts";

/** What a person is told of a call. */
export interface CallFacts {
  readonly badge: Badge;
  readonly isOver: boolean;
  readonly name: string;
  /** The arguments in one line. */
  readonly summary: string;
  /** Undefined if it did not run, or nobody knows. */
  readonly time: Time | undefined;
  /** What it says that it does; empty when it is over. */
  readonly status: string;
  /** How far it is, from 0 to 1; undefined if it does not say, and when it is over. */
  readonly fraction: number | undefined;
  readonly problem: ProblemFacts | undefined;
  /** That a person changed the arguments; empty if nobody did. */
  readonly edits: string;
  /** How its command failed, although the call itself may have gone well: `Exit code 1`. Empty if it did not, or nobody knows. */
  readonly exit: string;
  /** Whether all arguments have arrived, or no more will. */
  readonly hasAllInput: boolean;
}

export const describeCall = (call: CallNode): CallFacts => {
  const isOver = call.endedAt !== undefined;
  return {
    badge: badgeOf(call.state),
    isOver,
    name: nameOf(call),
    summary: summaryOf(call.input ?? (call.inputText || undefined)),
    time: callTime(call),
    status: isOver ? "" : statusOf(call),
    fraction: isOver ? undefined : call.progress?.fraction,
    problem: describeProblem(call.error, call.state),
    edits: call.edited ? "(arguments edited)" : "",
    exit: isOver ? exitOf(call) : "",
    hasAllInput: isOver || call.inputDone,
  };
};

const exitOf = (call: CallNode): string => {
  const { end } = describeCommand(call);
  return end?.failed ? oneLine(end.text) : "";
};

export const nameOf = ({ title, name }: Pick<CallNode, "title" | "name">): string => oneLine(title?.trim() || name);

const statusOf = ({ status, progress }: CallNode): string =>
  [status, progress?.note]
    .flatMap((text) => (text ? [oneLine(text)] : []))
    .filter(Boolean)
    .join(" · ");
