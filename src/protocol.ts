import type { ApprovalOption, ChoiceOption, EventOf, Problem, RunOutcome, Usage } from "./events.ts";

/** The version of the vocabulary in events.ts, the grammar in verify.ts and PROTOCOL.md. Logs of earlier versions stay readable. */
export const PROTOCOL = 2;

/** How a tool call can end. */
export const CALL_OUTCOMES = ["ok", "error", "denied", "cancelled", "timeout", "interrupted", "deferred"] as const;

/** Why a log of this version cannot be read here; undefined if it can. */
export const protocolProblem = (protocol: number): (Problem & { readonly hint: string }) | undefined =>
  protocol > PROTOCOL
    ? {
        code: "protocol",
        message: `this log uses protocol ${protocol}; this version of Runcast reads up to ${PROTOCOL}`,
        hint: "update it",
      }
    : undefined;

/**
 * Types of events by what they are about. A place that does something about a few types passes over the others by these groups: a
 * new type is in none of them, so the compiler names every such place.
 */
interface EventGroups {
  readonly run: "run-start" | "run-resume" | "run-end";
  readonly agent: "agent-start" | "agent-end";
  readonly step: "step-start" | "step-retry" | "step-end";
  readonly text: "text-start" | "text-delta" | "text-end";
  readonly thinking: "thinking-start" | "thinking-delta" | "thinking-end";
  readonly tool:
    | "tool-start"
    | "tool-input-delta"
    | "tool-input-end"
    | "tool-execute"
    | "tool-progress"
    | "tool-output-delta"
    | "tool-end";
  readonly ask: "ask-start" | "ask-end";
  readonly mark: "status" | "citation" | "file" | "embed" | "notice" | "data";
}

export type EventsAbout<Group extends keyof EventGroups = keyof EventGroups> = EventOf<EventGroups[Group]>;

type Options = Pick<EventOf<"ask-start">, "options">;

/** The values that an ask offers to choose from. */
export const choicesOf = ({ options = [] }: Options): readonly ChoiceOption[] =>
  options.filter((option): option is ChoiceOption => "value" in option);

/** The ways to allow or deny that an approval offers. */
export const approvalsOf = ({ options = [] }: Options): readonly ApprovalOption[] =>
  options.filter((option): option is ApprovalOption => "allow" in option);

/** What a list of runs has of each. */
export interface RunSummary {
  readonly run: string;
  readonly thread?: string;
  /** What the agent goes by. Its source may have chosen it. */
  readonly name: string;
  /** The name that the agent is configured under. */
  readonly agent: string;
  readonly seq: number;
  readonly startedAt: number;
  /** Absent while the run has no run-end. */
  readonly endedAt?: number;
  readonly outcome?: RunOutcome;
}

/** What a run asks and nobody has answered. */
export type OpenAsk = Pick<EventOf<"ask-start">, "ask" | "kind" | "title" | "options">;

/** What a list of runs says of each if it is asked for details. */
export interface RunRow extends RunSummary {
  /** The beginning of the message that it answers. */
  readonly title?: string;
  /** The name or the id of the user who started it. */
  readonly user?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** While it goes on: what it does, and what it asks. */
  readonly status?: string;
  readonly asks?: readonly OpenAsk[];
  /** Why it failed. */
  readonly problem?: string;
}
