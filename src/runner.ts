import { isDeepStrictEqual } from "node:util";
import type { Waiting } from "./dialect.ts";
import type { Answer, Entry, Event, EventOf } from "./events.ts";
import type { Log } from "./log.ts";
import { messageOf } from "./message-of.ts";
import { createRunId } from "./run-id.ts";
import { ActiveRun } from "./runner/active-run.ts";
import { closeCut } from "./runner/close-cut.ts";
import { createFlusher } from "./runner/flusher.ts";
import { Refusal, type RunRequest, type Source } from "./source.ts";

/**
 * Wraps every source: numbers its events, checks them, renames repeated ids, closes from the inside out what is left open,
 * and writes the one run-start and the one run-end. Nothing is visible before the log has stored it.
 */
export interface Runner {
  /**
   * Resolves when run-start is stored. A run id that exists already starts nothing (`started: false`), however often and
   * however concurrently it is posted. Rejects with a Refusal if the source throws before its first event.
   */
  start(request: RunRequest, agent: RunnableAgent): Promise<{ readonly run: string; readonly started: boolean }>;
  /**
   * Idempotent. Resolves when the cancel is stored: the run (or the one call or sub-agent) has ended. `unknown`: nothing such
   * is at work here. Rejects with a Refusal while the log takes no end of a run that has stopped.
   */
  cancel(run: string, target?: CancelTarget): Promise<"cancelled" | "ended" | "unknown">;
  /** First answer wins; the same again is `same`, another `conflict`; an ask that expired or was cancelled is `closed`. */
  answer(
    run: string,
    ask: string,
    answer: Answer,
    by?: string,
  ): Promise<"accepted" | "same" | "conflict" | "closed" | "unknown">;
  /** Undefined unless the run is active in this process. */
  waiting(run: string): Waiting | undefined;
  readonly active: number;
  /**
   * Closes as `interrupted` the runs of an earlier process that were cut by a crash. Answers how many; what cannot be
   * closed is reported and left as it is.
   */
  recover(): Promise<number>;
  /** Interrupts what still runs and waits until that is stored, or until a log that fails has had `graceMs` for it. */
  close(): Promise<void>;
}

export interface RunnableAgent {
  readonly name: string;
  readonly source: Source;
}

export interface CancelTarget {
  readonly agent?: string;
  readonly call?: string;
  readonly by?: string;
  readonly reason?: string;
}

export interface RunnerOptions {
  readonly log: Log;
  /** Called once for each run that ended, after its run-end is stored; never awaited, and what it throws is only reported. */
  readonly onEnd?: (ended: EndedRun) => unknown;
  /** Told of what has no other place: an onEnd that threw, a log that cannot be written. */
  readonly onProblem?: (error: unknown) => void;
  /**
   * Told of a run whose log failed in its midst: who follows it should be cut off, since what they wait for may never come.
   * Its end is written as soon as the log takes it.
   */
  readonly onCut?: (run: string) => void;
  /** Ends the run with the error `timeout`. Default: none. */
  readonly timeoutMs?: number;
  /** Ends the run with the error `too-large`. Default: 256 MB. */
  readonly maxBytes?: number;
  /** How long a cancelled source may take to stop before it is left behind. Default: 5 s. */
  readonly graceMs?: number;
}

export interface EndedRun {
  readonly run: string;
  readonly request: RunRequest;
  readonly end: EventOf<"run-end">;
  /** The whole log of the run, read when asked for. */
  entries(): AsyncIterable<readonly Entry[]>;
}

const PAGE = 512;

export const createRunner = (options: RunnerOptions): Runner => {
  const { log } = options;
  const active = new Map<string, Active>();
  const flusher = createFlusher((error) => options.onProblem?.(error));
  let isClosed = false;

  const entriesOf = async function* (run: string): AsyncIterable<readonly Entry[]> {
    for (let after = 0; ;) {
      const entries = await log.read(run, after, PAGE);
      if (!entries.length) return;
      after = entries.at(-1)!.seq;
      yield entries;
    }
  };

  const findEvent = async <Found extends Event>(
    run: string,
    isIt: (event: Event) => event is Found,
  ): Promise<Found | undefined> => {
    for await (const entries of entriesOf(run)) for (const { event } of entries) if (isIt(event)) return event;
    return undefined;
  };

  const notifyEnd = async (run: string, request: RunRequest, end: EventOf<"run-end">): Promise<void> => {
    try {
      await options.onEnd?.({ run, request, end, entries: () => entriesOf(run) });
    } catch (error) {
      options.onProblem?.(error);
    }
  };

  const begin = async (
    run: string,
    request: RunRequest,
    agent: RunnableAgent,
  ): Promise<{ run: string; started: boolean }> => {
    const running = active.get(run);
    if (running) {
      await running.started.catch(() => {});
      if (active.has(run) || (await log.info(run))) return { run, started: false };
      return await begin(run, request, agent);
    }
    // Claimed before anything is awaited, so that two posts of one id cannot both start it.
    const decided = Promise.withResolvers<void>();
    active.set(run, placeholder(decided.promise));
    try {
      if (request.run !== undefined && (await log.info(run))) {
        active.delete(run);
        return { run, started: false };
      }
      // Whoever closes the runner has seen only that this start was being decided.
      if (isClosed) throw stopping();
      const started = new ActiveRun({ ...options, run, request, agent, flusher });
      active.set(run, started);
      void started.ended.then((end) => {
        active.delete(run);
        if (end) void notifyEnd(run, request, end);
      });
      await started.started;
      return { run, started: true };
    } catch (error) {
      active.delete(run);
      throw error;
    } finally {
      decided.resolve();
    }
  };

  return {
    async start(request, agent) {
      if (isClosed) throw stopping();
      return await begin(request.run ?? createRunId(), request, agent);
    },
    async cancel(run, target = {}) {
      const running = active.get(run);
      if (running) return await running.cancel(target);
      return (await log.info(run))?.endedAt === undefined ? "unknown" : "ended";
    },
    async answer(run, ask, answer, by) {
      const running = active.get(run);
      if (running) return await running.answer(ask, answer, by);
      if (!(await log.info(run))) return "unknown";
      const end = await findEvent(
        run,
        (event): event is EventOf<"ask-end"> => event.type === "ask-end" && event.ask === ask,
      );
      if (!end) return "unknown";
      if (end.outcome !== "answered") return "closed";
      return isDeepStrictEqual(end.answer, answer) ? "same" : "conflict";
    },
    waiting: (run) => active.get(run)?.waiting(),
    get active() {
      return active.size;
    },
    async recover() {
      const open = await log.list({ limit: Number.MAX_SAFE_INTEGER, open: true });
      const cut = open.filter(({ run }) => !active.has(run));
      const error = { code: "interrupted", message: "the server stopped while the run was going on", retryable: true };
      let closed = 0;
      for (const { run } of cut) {
        try {
          await closeCut(log, run, { outcome: "interrupted", error }, flusher);
          closed++;
        } catch (cause) {
          options.onProblem?.(new Error(`run ${run} cannot be closed: ${messageOf(cause)}`, { cause }));
        }
      }
      return closed;
    },
    async close() {
      isClosed = true;
      const error = { code: "interrupted", message: "the server was stopped", retryable: true };
      await Promise.all([...active.values()].map((running) => running.close({ outcome: "interrupted", error })));
    },
  };
};

const stopping = () => new Refusal("stopping", "the server is stopping", { status: 503, retryable: true });

/** A run at work here, or one whose start is being decided. */
type Active = Pick<ActiveRun, "started" | "ended" | "close" | "cancel" | "answer" | "waiting">;

const placeholder = (started: Promise<void>): Active => ({
  started,
  ended: started.then(() => undefined),
  close: () => started,
  cancel: () => Promise.resolve("unknown"),
  answer: () => Promise.resolve("unknown"),
  waiting: () => ({ waiting: "agent", since: Date.now() }),
});
