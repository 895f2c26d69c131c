import type { EventOf } from "../events.ts";
import type { Ending } from "./close.ts";
import { HANDED_OVER } from "../source.ts";
import { problemOf, logFailed } from "./problem.ts";

/**
 * The life of a run as a state machine: `next(state, input)` returns the next state and the effects to perform, in
 * order.
 * It has no access to timers, the log or the source. `active-run.ts` performs the effects and reports back with inputs.
 *
 * - `starting`: the source has been called; run-start is not stored yet.
 * - `running`: the source is being read.
 * - `stopping`: the source was asked to stop and has its grace period to do so.
 * - `ending`: run-end is written but not stored yet; nothing more is read from the source.
 * - `failing`: the log rejected a write; storing the run's end is retried until it succeeds.
 * - `leaving`: accepted events are being stored; then another process owns the run.
 * - `closed`: final. `failed`: the log failed first, so the last accepted events may not be stored.
 */
export type State =
  | { readonly name: "starting"; readonly ending?: Ending; readonly isGraceOver?: boolean }
  | { readonly name: "running" }
  | { readonly name: "stopping"; readonly ending: Ending }
  | { readonly name: "ending"; readonly ending?: Ending }
  | { readonly name: "failing" }
  | { readonly name: "leaving" }
  | { readonly name: "closed"; readonly failed: boolean };

export type Input =
  /** The first entries are stored: run-start, or run-resume. */
  | { readonly type: "start-stored" }
  /** The run must end: the user stopped it, it hit a limit, or the server shuts down. */
  | { readonly type: "stop"; readonly ending: Ending }
  | { readonly type: "grace-over" }
  /** The source has returned. `end` is the run-end that it yielded, if any. */
  | { readonly type: "source-ended"; readonly end?: EventOf<"run-end"> }
  | { readonly type: "source-failed"; readonly error: unknown }
  /** An append failed. `isAnothers`: because this process no longer owns the run. */
  | { readonly type: "log-failed"; readonly error: unknown; readonly isAnothers: boolean }
  /** Another process will continue the run. */
  | { readonly type: "hand-over" }
  /** The run is released. If releasing failed, its lease ends with this process. */
  | { readonly type: "released" }
  /** The run's end is stored. Without `end`, this process no longer owns the run. */
  | { readonly type: "end-stored"; readonly end?: EventOf<"run-end"> };

export type Effect =
  /** Confirms the start to the caller. The run's time limit counts from here. */
  | { readonly do: "confirm-start" }
  /** Rejects the start, after discarding the files the run has stored. */
  | { readonly do: "refuse-start"; readonly error: unknown; readonly discard: boolean }
  /** Aborts the source, ends its asks, and starts the grace period. */
  | { readonly do: "stop-source"; readonly ending: Ending }
  /** Abandons the source without waiting for it. */
  | { readonly do: "abandon-source"; readonly error?: unknown }
  /** Closes everything open, writes the one run-end, and abandons the source. */
  | { readonly do: "write-end"; readonly ending?: Ending; readonly end?: EventOf<"run-end"> }
  | { readonly do: "report"; readonly error: unknown }
  /** Releases the run once all accepted events are stored. */
  | { readonly do: "release" }
  /** Disconnects followers and retries storing the end until the log accepts it. */
  | { readonly do: "retry-end"; readonly ending: Ending }
  /** The run is over in this process. */
  | { readonly do: "settle"; readonly end?: EventOf<"run-end"> };

export interface Transition {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export const INITIAL: State = { name: "starting" };

/** Inputs that are not in the table are ignored. */
export const next = (state: State, input: Input): Transition => {
  const transition = TABLE[state.name][input.type] as ((from: State, by: Input) => Transition) | undefined;
  return transition?.(state, input) ?? { state, effects: [] };
};

export const isOver = ({ name }: State): boolean =>
  name === "ending" || name === "failing" || name === "leaving" || name === "closed";
/** Whether nothing more can be stored here: the log failed, or another process owns the run. */
export const hasFailed = (state: State): boolean =>
  state.name === "failing" || state.name === "leaving" || (state.name === "closed" && state.failed);

type Of<Kind, Key extends string, Value> = Extract<Kind, Readonly<Record<Key, Value>>>;
type Table = {
  readonly [Name in State["name"]]: {
    readonly [Type in Input["type"]]?: (state: Of<State, "name", Name>, input: Of<Input, "type", Type>) => Transition;
  };
};

const to = (state: State, ...effects: Effect[]): Transition => ({ state, effects });

const writeEnd = (ending: Ending | undefined, end?: EventOf<"run-end">): Transition =>
  to(
    { name: "ending", ...(ending && { ending }) },
    { do: "write-end", ...(ending && { ending }), ...(end && { end }) },
  );

const failed = (ending: Ending | undefined, { error, isAnothers }: Of<Input, "type", "log-failed">): Transition => {
  const effects: Effect[] = [
    { do: "report", error },
    { do: "abandon-source", error: isAnothers ? HANDED_OVER : error },
  ];
  if (isAnothers) return to({ name: "closed", failed: true }, ...effects, { do: "settle" });
  return to({ name: "failing" }, ...effects, {
    do: "retry-end",
    ending: ending ?? { outcome: "error", error: logFailed(error) },
  });
};

const TABLE: Table = {
  starting: {
    "start-stored": ({ ending, isGraceOver }) => {
      if (!ending) return to({ name: "running" }, { do: "confirm-start" });
      if (!isGraceOver) return to({ name: "stopping", ending }, { do: "confirm-start" });
      const { state, effects } = writeEnd(ending);
      return to(state, { do: "confirm-start" }, ...effects);
    },
    stop: (state, { ending }) => (state.ending ? to(state) : to({ ...state, ending }, { do: "stop-source", ending })),
    // Without a run-start there can be no run-end.
    "grace-over": (state) => to({ ...state, isGraceOver: true }),
    "source-failed": (_, { error }) =>
      to({ name: "closed", failed: false }, { do: "abandon-source" }, { do: "refuse-start", error, discard: true }),
    // If another process started the run first, that is not an error, but the files stored for it here belong to no
    // run.
    "log-failed": (_, { error, isAnothers }) =>
      to(
        { name: "closed", failed: true },
        ...(isAnothers ? [] : [{ do: "report", error } as const]),
        { do: "abandon-source", error },
        { do: "refuse-start", error, discard: isAnothers },
      ),
  },
  running: {
    stop: (_, { ending }) => to({ name: "stopping", ending }, { do: "stop-source", ending }),
    "hand-over": () => to({ name: "leaving" }, { do: "abandon-source", error: HANDED_OVER }, { do: "release" }),
    "source-ended": (_, { end }) => writeEnd(undefined, end),
    "source-failed": (_, { error }) => writeEnd({ outcome: "error", error: problemOf(error) }),
    "log-failed": (_, input) => failed(undefined, input),
  },
  stopping: {
    "source-ended": ({ ending }, { end }) => writeEnd(ending, end),
    "source-failed": ({ ending }) => writeEnd(ending),
    "grace-over": ({ ending }) => writeEnd(ending),
    "log-failed": ({ ending }, input) => failed(ending, input),
  },
  ending: {
    "end-stored": (_, { end }) => to({ name: "closed", failed: false }, { do: "settle", ...(end && { end }) }),
    "log-failed": ({ ending }, input) => failed(ending, input),
  },
  failing: {
    "end-stored": (_, { end }) => to({ name: "closed", failed: true }, { do: "settle", ...(end && { end }) }),
  },
  leaving: {
    released: () => to({ name: "closed", failed: true }, { do: "settle" }),
    // An answer that arrives just after the release goes to the new owner.
    "log-failed": (state, { error, isAnothers }) =>
      to(state, ...(isAnothers ? [] : [{ do: "report", error } as const])),
  },
  closed: {},
};
