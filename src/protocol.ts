import type {
  Answer,
  ApprovalOption,
  ChoiceOption,
  Event,
  EventOf,
  Finish,
  Message,
  Problem,
  RunOutcome,
  Usage,
} from "./events.ts";

/** The version of the vocabulary in events.ts, the grammar in verify.ts, and PROTOCOL.md. Logs of earlier versions stay readable. */
export const PROTOCOL = 2;

/** The highest cost that usage can have, in US dollars, so no sum of claims overflows. */
export const MAX_COST = 1e9;

/** The outcomes of a tool call. */
export const CALL_OUTCOMES = ["ok", "error", "denied", "cancelled", "timeout", "interrupted", "deferred"] as const;

/** Why a log of this version cannot be read here. Undefined if it can. */
export const protocolProblem = (protocol: number): (Problem & { readonly hint: string }) | undefined =>
  protocol > PROTOCOL
    ? {
        code: "protocol",
        message: `this log uses protocol ${protocol}; this version of Runcast reads up to ${PROTOCOL}`,
        hint: "update Runcast",
      }
    : undefined;

/**
 * Event types grouped by subject. Code that handles only some types excludes the others by group. A new type is in no
 * group, so the compiler reports every such place.
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

/** What a user sends about an ask: the answer, or `revoke`, which revokes an answer with `always`. */
export interface Given extends Answer {
  readonly revoke?: true;
}

/** The name of the data that says whether a call needs no approval for the rest of the run. Its id is the ask that allowed it. */
export const ALLOWED = "allowed";
/** Its value for a permission that another server holds. There it is true, or false once it is revoked. */
export const UPSTREAM = "upstream";

export type PermissionEvent = EventOf<"data"> & { readonly id: string; readonly value: boolean | typeof UPSTREAM };

export const isPermission = (event: Event): event is PermissionEvent =>
  event.type === "data" &&
  event.name === ALLOWED &&
  event.id !== undefined &&
  (typeof event.value === "boolean" || event.value === UPSTREAM);

type Options = Pick<EventOf<"ask-start">, "options">;

/** The values a choice offers. */
export const choicesOf = ({ options = [] }: Options): readonly ChoiceOption[] =>
  options.filter((option): option is ChoiceOption => "value" in option);

/** The options an approval offers. */
export const approvalsOf = ({ options = [] }: Options): readonly ApprovalOption[] =>
  options.filter((option): option is ApprovalOption => "allow" in option);

/** Why the output of a step is incomplete, and what the user can do about it. */
export interface Incomplete {
  readonly finish: Extract<Finish, "length" | "filter" | "interrupted">;
  readonly message: string;
  readonly hint: string;
}

/** Undefined for the finish of a complete output and for unknown values. */
export const incompleteOf = (finish: unknown): Incomplete | undefined =>
  typeof finish === "string" && Object.hasOwn(INCOMPLETE, finish) ? INCOMPLETE[finish as Finish] : undefined;

/** Message and hint as one text. */
export const incompleteText = ({ message, hint }: Incomplete): string => `${message} ${hint}`;

/** Undefined for complete output, and for errors and cancels, which are shown as such. */
const INCOMPLETE: Readonly<Record<Finish, Incomplete | undefined>> = {
  stop: undefined,
  tools: undefined,
  other: undefined,
  error: undefined,
  cancelled: undefined,
  length: {
    finish: "length",
    message: "The answer is incomplete: the model reached its output token limit.",
    hint: "Ask the agent to continue, or raise the limit.",
  },
  filter: {
    finish: "filter",
    message: "The answer is incomplete: the provider's content filter stopped it.",
    hint: "Rephrase the request, or try another model.",
  },
  interrupted: {
    finish: "interrupted",
    message: "The answer is incomplete: the process that was writing it ended.",
    hint: "Send the message again.",
  },
};

/** A run in a list. */
export interface RunSummary {
  readonly run: string;
  readonly thread?: string;
  /** The display name of the agent, which its source may choose. */
  readonly name: string;
  /** The name under which the agent is configured. */
  readonly agent: string;
  readonly seq: number;
  readonly startedAt: number;
  /** Absent while the run has no run-end. */
  readonly endedAt?: number;
  readonly outcome?: RunOutcome;
}

/** An unanswered ask of a run. */
export type OpenAsk = Pick<EventOf<"ask-start">, "ask" | "kind" | "title" | "options">;

/** A run in a list with details. */
export interface RunRow extends RunSummary {
  /** The beginning of the user's message. */
  readonly title?: string;
  /** The name or id of the user who started it. */
  readonly user?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** While running: its status and its open asks. */
  readonly status?: string;
  readonly asks?: readonly OpenAsk[];
  /** Why it failed. */
  readonly problem?: string;
  /** The finish of the last step, if the outcome is `done` but the answer is incomplete. */
  readonly finish?: Incomplete["finish"];
  /** Whether the user who requested the list started it. */
  readonly mine?: boolean;
  /** Its status, usage and open asks are not known yet. */
  readonly partial?: true;
}

/** A thread in a list. */
export interface ThreadRow {
  readonly thread: string;
  /** The newest run. */
  readonly run: string;
  readonly agent: string;
  /** The beginning of the first message. */
  readonly title?: string;
  readonly createdAt: number;
  /** When the newest run ended, or started if it has not ended. */
  readonly updatedAt: number;
  /** Whether the newest run has not ended. */
  readonly open?: boolean;
}

/** A run of a thread, as far as it is needed to show the conversation. */
export interface ThreadRun extends Pick<RunSummary, "run" | "agent" | "startedAt" | "endedAt" | "outcome"> {
  readonly previous?: string | null;
  readonly model?: string;
  /** What the run answers: a message of the user, or the results of calls that the client ran. */
  readonly message?: Message;
}

/** The states by which lists of runs are filtered. */
export const RUN_STATES = ["working", "waiting", "done", "error", "cancelled", "interrupted"] as const;
export type RunListState = (typeof RUN_STATES)[number];

export const runStateOf = ({
  endedAt,
  outcome,
  asks = [],
}: Pick<RunRow, "endedAt" | "outcome" | "asks">): RunListState => {
  if (endedAt !== undefined) return outcome ?? "interrupted";
  return asks.length > 0 ? "waiting" : "working";
};

/** The response of `GET /changes`. */
export interface RunListChanges {
  /** For the next request. */
  readonly cursor: string;
  /** This process does not know what happened since the cursor: request the list again. */
  readonly reset?: boolean;
  /** Runs that started or changed, and match the filter. */
  readonly runs: readonly RunRow[];
  /** Runs that changed and no longer match, or were deleted. */
  readonly left: readonly string[];
  /** The number of open runs, regardless of the filter. Absent until they have been read. */
  readonly open?: { readonly working: number; readonly waiting: number };
  /** The rights of the user. `everyone`: sees the runs of others and has runs of their own. */
  readonly may: { readonly answer: boolean; readonly cancel: boolean; readonly everyone: boolean };
}
