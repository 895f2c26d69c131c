import type { CallNode } from "../state.ts";
import { type Badge, badgeOf } from "./badge.ts";
import { describeCommand } from "./command.ts";
import { describeProblem, type ProblemFacts } from "./problem.ts";
import { summaryOf } from "./summary.ts";
import { oneLine } from "./text.ts";
import { callTime, type Time } from "./time.ts";

/** Display data for a call. */
export interface CallFacts {
  readonly badge: Badge;
  readonly isOver: boolean;
  readonly name: string;
  /** The arguments on one line. */
  readonly summary: string;
  /** Undefined if the call did not run or its duration is unknown. */
  readonly time: Time | undefined;
  /** The tool's current status text. Empty once the call is over. */
  readonly status: string;
  /** Progress from 0 to 1. Undefined if the tool does not report it, and once the call is over. */
  readonly fraction: number | undefined;
  readonly problem: ProblemFacts | undefined;
  /** A note that the user edited the arguments. Empty if they did not. */
  readonly edits: string;
  /** A note that the call repeats an interrupted one. Empty if it does not. */
  readonly repeat: string;
  /** How the command failed, such as `Exit code 1`, even if the call itself succeeded. Empty if it did not fail or is unknown. */
  readonly exit: string;
  /** Whether all arguments have arrived, or the call ended before they did. */
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
    repeat: call.repeats === undefined ? "" : "(repeats an interrupted call)",
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
