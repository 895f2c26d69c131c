import type { EventOf } from "../events.ts";
import type { Ending } from "./close.ts";
import { HANDED_OVER } from "../source.ts";
import { problemOf, unwritten } from "./problem.ts";

/**
 * The life of a run as a state machine: `next(state, input)` answers the next state and what is to be done, in order.
 * It knows no timer, log or source; `active-run.ts` performs the effects and reports back with inputs.
 *
 * - `starting`: the source has been asked; run-start is not stored yet.
 * - `running`: the source is read.
 * - `stopping`: the source was told to stop and has its grace period to do so.
 * - `ending`: run-end is written and being stored; nothing more is taken from the source.
 * - `failing`: the log took nothing; the run's end is tried again until it does.
 * - `leaving`: what was taken in is being stored; then the run is another process's.
 * - `closed`: nothing more happens. `failed`: the log failed first, so what was accepted last may not be stored.
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
  /** Somebody wants the run to end: a person, a limit, a shutdown. */
  | { readonly type: "stop"; readonly ending: Ending }
  | { readonly type: "grace-over" }
  /** The source is through; `end` is the run-end that it yielded itself. */
  | { readonly type: "source-ended"; readonly end?: EventOf<"run-end"> }
  | { readonly type: "source-failed"; readonly error: unknown }
  /** An append failed. `isAnothers`: because the run is no longer ours to write. */
  | { readonly type: "log-failed"; readonly error: unknown; readonly isAnothers: boolean }
  /** Another process is to go on with the run. */
  | { readonly type: "hand-over" }
  /** The run is given up, or could not be: its lease ends with this process. */
  | { readonly type: "released" }
  /** The run's end is stored, or, without `end`, no longer ours to store. */
  | { readonly type: "end-stored"; readonly end?: EventOf<"run-end"> };

export type Effect =
  /** Tells whoever started the run that it runs; its time limit counts from here. */
  | { readonly do: "confirm-start" }
  /** Tells whoever started the run that it does not, once the files it has put are gone. */
  | { readonly do: "refuse-start"; readonly error: unknown; readonly discard: boolean }
  /** Tells the source to stop, ends its asks, and starts the grace period. */
  | { readonly do: "stop-source"; readonly ending: Ending }
  /** Lets the source go, without waiting for it. */
  | { readonly do: "abandon-source"; readonly error?: unknown }
  /** Closes what is open, writes the one run-end, and lets the source go. */
  | { readonly do: "write-end"; readonly ending?: Ending; readonly end?: EventOf<"run-end"> }
  | { readonly do: "report"; readonly error: unknown }
  /** Gives the run up once everything that was taken in is stored. */
  | { readonly do: "release" }
  /** Cuts off whoever follows, and tries to store the end until the log takes it. */
  | { readonly do: "retry-end"; readonly ending: Ending }
  /** The run is over here. */
  | { readonly do: "settle"; readonly end?: EventOf<"run-end"> };

export interface Transition {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export const INITIAL: State = { name: "starting" };

/** What is not in the table changes nothing. */
export const next = (state: State, input: Input): Transition => {
  const transition = TABLE[state.name][input.type] as ((from: State, by: Input) => Transition) | undefined;
  return transition?.(state, input) ?? { state, effects: [] };
};

export const isOver = ({ name }: State): boolean =>
  name === "ending" || name === "failing" || name === "leaving" || name === "closed";
/** Whether nothing more can be stored here: the log failed, or the run is another's. */
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
    ending: ending ?? { outcome: "error", error: unwritten(error) },
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
    // What has no run-start yet can have no run-end.
    "grace-over": (state) => to({ ...state, isGraceOver: true }),
    "source-failed": (_, { error }) =>
      to({ name: "closed", failed: false }, { do: "abandon-source" }, { do: "refuse-start", error, discard: true }),
    // Another process that started the run first is no problem; the files that were put for it here are nobody's.
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
    // An answer that came just after the release goes to the new owner.
    "log-failed": (state, { error, isAnothers }) =>
      to(state, ...(isAnothers ? [] : [{ do: "report", error } as const])),
  },
  closed: {},
};
