import type { Message, Part } from "../events.ts";
import { visibleText } from "../markdown.ts";
import { isFinished, type RunState } from "../state.ts";
import { endOf } from "./agent.ts";
import { counted, usageText } from "./amounts.ts";
import { type Badge, badgeOf, WORKING } from "./badge.ts";
import { openAsks } from "./open-asks.ts";
import { describeFailure, type ProblemFacts, type RefusedKey, refusedKey } from "./problem.ts";
import { modeText } from "./slots.ts";
import { oneLine } from "./text.ts";
import { runTime, type Time } from "./time.ts";

/** Display data for a whole run. */
export interface RunFacts {
  readonly badge: Badge;
  readonly hasStarted: boolean;
  readonly isOver: boolean;
  /** Whether it asks something. */
  readonly isWaiting: boolean;
  /** Whether it completed its task. False while it is running. */
  readonly hasSucceeded: boolean;
  readonly name: string;
  readonly model: string;
  /** The mode of a coding agent, unless it is its default one. */
  readonly mode: string;
  /** The current activity, or how the run ended. */
  readonly title: string;
  /** Why the answer is incomplete and what to do about it. Empty if it is complete. */
  readonly advice: string;
  readonly time: Time | undefined;
  readonly usage: string;
  /** When it ended. Undefined while it is running, and if that is unknown. */
  readonly finishedAt: number | undefined;
  readonly problem: ProblemFacts | undefined;
  /** The key of a model that it failed without. */
  readonly refusedKey: RefusedKey | undefined;
  /** A note that the client has calls to run. Empty if it has none. */
  readonly awaiting: string;
  /** Whether the agent can be asked to continue, because its answer was cut off at the output limit. */
  readonly canContinue: boolean;
  /** The label of the action that continues after the last finished step. Empty if it makes no sense. */
  readonly resume: string;
  readonly retry: "offered" | "useless" | "none";
  /** Why a retry is not offered. Empty if one is offered or makes no sense. */
  readonly retryNote: string;
}

export const describeRun = (state: RunState): RunFacts => {
  const end = endOf(state.root);
  const asks = end ? 0 : openAsks(state).size;
  const retry = retryOf(state);
  return {
    badge: end ? badgeOf(end.state) : asks > 0 ? badgeOf("waiting") : WORKING,
    hasStarted: state.startedAt !== undefined,
    isOver: end !== undefined,
    isWaiting: asks > 0,
    hasSucceeded: end?.state === "done",
    name: oneLine(state.root.name || "Run"),
    model: oneLine(state.model ?? ""),
    mode: modeText(state),
    title:
      end?.title ??
      (asks > 0 ? `Waiting for you: ${counted(asks, "open question")}` : oneLine(state.root.status ?? "") || "Working"),
    advice: end?.advice ?? "",
    time: runTime(state),
    usage: usageText(state.usage),
    finishedAt: state.outcome === "interrupted" ? undefined : state.endedAt,
    problem: describeFailure(state.error, state.outcome),
    refusedKey: refusedKey(state.error),
    awaiting:
      state.awaiting.length > 0 ? `Waiting for the client to run ${counted(state.awaiting.length, "tool")}` : "",
    canContinue: end?.state === "cut",
    resume: resumeOf(state),
    retry,
    retryNote: retry === "useless" ? "A retry would not help: the same request would fail again." : "",
  };
};

const retryOf = ({ outcome, error }: RunState): RunFacts["retry"] => {
  if (outcome === "interrupted") return "offered";
  if (outcome !== "error") return "none";
  // With another key, the same request may succeed.
  if (refusedKey(error)) return "none";
  return error?.retryable === true ? "offered" : "useless";
};

const resumeOf = (state: RunState): string => {
  const { outcome, error, root } = state;
  if (outcome === undefined || outcome === "done") return "";
  if (!root.items.some((item) => item.kind === "step" && isFinished(item.finish))) return "";
  if (outcome !== "error") return "Continue where it stopped";
  // A new run may take as many steps again.
  return retryOf(state) === "offered" || error?.code === "step-limit" ? "Continue from the failed step" : "";
};

/** Whether the run's agent can continue it: some agents do not get the calls and results of earlier runs. */
export const mayResume = (
  { agentKey }: RunState,
  agents: readonly { readonly name: string; readonly continues?: boolean | undefined }[],
): boolean => agents.find(({ name }) => name === agentKey)?.continues === true;

/** The user's message, unchanged except that hidden characters are made visible. */
export const messageText = ({ content }: Message): string =>
  visibleText(content.map(partText).filter(Boolean).join("\n"));

const partText = (part: Part): string =>
  part.type === "text" ? part.text : part.type === "file" ? `[${part.name ?? part.mediaType}]` : "";

/** A one-line title for a run: the user's message, else the agent's name, else the run id, else `otherwise`. */
export const runTitle = (
  { message, root, run }: Pick<RunState, "message" | "run"> & { readonly root: Pick<RunState["root"], "name"> },
  longest = 60,
  otherwise = "Run",
): string => oneLine((message && messageText(message)) || root.name || run || otherwise, longest);
