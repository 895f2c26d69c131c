import { setImmediate } from "node:timers/promises";
import type { Entry, Event, EventOf, Finish, Message, Usage } from "../events.ts";
import type { Log, RunInfo } from "../log.ts";
import { type EventsAbout, incompleteOf, type OpenAsk, type RunRow, type RunSummary } from "../protocol.ts";
import { addUsage } from "../state.ts";

/** What a row contains in addition to the run's summary. */
export type Details = Omit<RunRow, keyof RunSummary | "mine" | "partial">;

/**
 * The details of runs. An entry is read at most once while its run is cached, and never if this process wrote it. An ended
 * run does not change, so its details are not computed again.
 */
export interface RunDetails {
  /** The details after entry `seq`, or a later one. Undefined if entries must be read for them. */
  known(run: string, seq: number, isOver: boolean): Details | undefined;
  open(run: string, seq: number): Promise<Details>;
  /** Reads only the first entry and the last ones. */
  ended(info: Pick<RunInfo, "run" | "seq" | "outcome">): Promise<Details>;
  /** Only what the first entry contains. */
  start(run: string): Promise<Details>;
  /** The same log. Details follow from what is written to it. */
  readonly writing: Log;
}

const BATCH = 512;
const MAX_OPEN = 2000;
const MAX_ENDED = 10_000;
const TITLE_LENGTH = 200;
/**
 * How many of the last entries of a `done` run are searched for the end of its last step. It is nearly always in the
 * tail. Marks and sub-agents can follow it, but a run whose root has no steps must not be read whole.
 */
const TAIL = 8;
const LONGEST_TAIL = 512;

interface Progress {
  seq: number;
  start: Details;
  usage: Usage;
  status: string;
  asks: Map<string, OpenAsk>;
  /** Of the last step of the root agent. */
  finish: Finish | undefined;
}

export const createRunDetails = (log: Log): RunDetails => {
  const open = new Map<string, Progress>();
  const ended = new Map<string, Details>();
  const reading = new Map<string, Promise<void>>();

  const read = async (run: string): Promise<void> => {
    const progress = open.get(run) ?? emptyProgress();
    for (;;) {
      const entries = await log.read(run, progress.seq, BATCH);
      advance(progress, entries);
      if (entries.length < BATCH) break;
      await setImmediate();
    }
    keep(open, run, progress, MAX_OPEN);
  };
  /** Callers share one reader per run. */
  const readOnce = (run: string): Promise<void> => {
    const current = reading.get(run);
    if (current) return current;
    const begun = read(run).finally(() => reading.delete(run));
    reading.set(run, begun);
    return begun;
  };
  const forget = (run: string): void => {
    open.delete(run);
    ended.delete(run);
  };
  const note = (run: string, entries: readonly Entry[]): void => {
    const first = entries[0]!.seq;
    const progress = first === 1 ? emptyProgress() : open.get(run);
    // Without the earlier entries, these cannot be interpreted.
    if (!progress || progress.seq + 1 < first) return;
    advance(progress, entries);
    if (first === 1) keep(open, run, progress, MAX_OPEN);
    const last = entries.at(-1)!.event;
    if (last.type !== "run-end") return;
    open.delete(run);
    keep(ended, run, { ...progress.start, ...endOf(last, progress.finish) }, MAX_ENDED);
  };
  const readLast = async (run: string, seq: number, count: number): Promise<Event[]> => {
    const events: Event[] = [];
    for (let after = Math.max(0, seq - count); after < seq;) {
      const entries = await log.read(run, after, seq - after);
      if (entries.length === 0) break;
      for (const { event } of entries) events.push(event);
      after = entries.at(-1)!.seq;
    }
    return events;
  };
  const readEnd = async (run: string, seq: number, isDone: boolean): Promise<Details> => {
    let events = await readLast(run, seq, isDone ? TAIL : 1);
    if (isDone && seq > TAIL && !events.some(isRootStepEnd)) events = await readLast(run, seq, LONGEST_TAIL);
    const last = events.at(-1);
    return last?.type === "run-end" ? endOf(last, events.findLast(isRootStepEnd)?.finish) : {};
  };
  const startOfRun = async (run: string): Promise<Details> => startOf((await log.read(run, 0, 1))[0]);

  return {
    known: (run, seq, isOver) => {
      if (isOver) return ended.get(run);
      const progress = open.get(run);
      return progress && progress.seq >= seq ? detailsOf(progress) : undefined;
    },
    open: async (run, seq) => {
      // A reader that began earlier may have missed the newest entries.
      for (let turn = 0; turn < 2 && (open.get(run)?.seq ?? 0) < seq; turn++) await readOnce(run);
      return detailsOf(open.get(run) ?? emptyProgress());
    },
    ended: async ({ run, seq, outcome }) => {
      const found = ended.get(run);
      if (found) return found;
      const [start, end] = await Promise.all([startOfRun(run), readEnd(run, seq, outcome === "done")]);
      open.delete(run);
      const details = { ...start, ...end };
      keep(ended, run, details, MAX_ENDED);
      return details;
    },
    start: async (run) => open.get(run)?.start ?? (await startOfRun(run)),
    writing: {
      ...log,
      append: (run, entries, as) => {
        const stored = log.append(run, entries, as);
        if (!stored) note(run, entries);
        else
          stored.then(
            () => note(run, entries),
            () => {},
          );
        return stored;
      },
      drop: (run) => {
        forget(run);
        return log.drop(run);
      },
    },
  };
};

/** The beginning of a message, with the names of its files. Empty without a message. */
export const titleOf = (message: Message | undefined): string => {
  const words = message?.content.map((part) =>
    part.type === "text" ? part.text : part.type === "file" ? `[${part.name ?? part.mediaType}]` : "",
  );
  return words?.filter(Boolean).join(" ").slice(0, TITLE_LENGTH) ?? "";
};

const emptyProgress = (): Progress => ({
  seq: 0,
  start: {},
  usage: {},
  status: "",
  asks: new Map(),
  finish: undefined,
});

const detailsOf = ({ start, usage, status, asks }: Progress): Details => ({
  ...start,
  usage,
  ...(status && { status }),
  asks: [...asks.values()],
});

const startOf = (entry: Entry | undefined): Details => {
  if (entry?.event.type !== "run-start") return {};
  const { message, user, model } = entry.event;
  const title = titleOf(message);
  return {
    ...(title && { title }),
    ...(user && { user: user.name ?? user.id }),
    ...(model !== undefined && { model }),
  };
};

const endOf = ({ usage, error, outcome }: EventOf<"run-end">, finish: Finish | undefined): Details => {
  const incomplete = outcome === "done" ? incompleteOf(finish) : undefined;
  return {
    ...(usage && { usage }),
    ...(error && { problem: error.message.slice(0, TITLE_LENGTH) }),
    ...(incomplete && { finish: incomplete.finish }),
  };
};

const isRootStepEnd = (event: Event): event is EventOf<"step-end"> =>
  event.type === "step-end" && event.agent === undefined;

const advance = (progress: Progress, entries: readonly Entry[]): void => {
  for (const entry of entries) {
    if (entry.seq <= progress.seq) continue;
    progress.seq = entry.seq;
    const { event } = entry;
    if (event.type === "run-start") progress.start = startOf(entry);
    else if (event.type === "step-end") {
      progress.usage = addUsage(progress.usage, event.usage);
      if (event.agent === undefined) progress.finish = event.finish;
    } else if (event.type === "status" && event.agent === undefined && event.call === undefined)
      progress.status = event.text;
    else if (event.type === "ask-end") progress.asks.delete(event.ask);
    else if (event.type === "ask-start") {
      const { ask, kind, title, options } = event;
      progress.asks.set(ask, { ask, kind, ...(title !== undefined && { title }), ...(options && { options }) });
    } else event satisfies EventsAbout;
  }
};

/** Adds a value as the newest, and removes the oldest ones. */
const keep = <Value>(all: Map<string, Value>, run: string, value: Value, most: number): void => {
  all.delete(run);
  all.set(run, value);
  for (const oldest of all.keys()) {
    if (all.size <= most) return;
    all.delete(oldest);
  }
};
