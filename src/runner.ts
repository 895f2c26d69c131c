import type { Waiting } from "./dialect.ts";
import type { Answer, Entry, Event, EventOf } from "./events.ts";
import type { Log, RunInfo } from "./log.ts";
import { messageOf } from "./message-of.ts";
import { createRunId } from "./run-id.ts";
import { type Active, placeholder } from "./runner/active.ts";
import { ActiveRun } from "./runner/active-run.ts";
import { isAnothers } from "./runner/close-cut.ts";
import { type Controls, createControls } from "./runner/controls.ts";
import { createFlusher } from "./runner/flusher.ts";
import { createLease } from "./runner/lease.ts";
import { createRemote } from "./runner/remote.ts";
import { pagesOf } from "./runner/resume.ts";
import { continuationOf, createScan } from "./runner/takeovers.ts";
import { statesOf } from "./runner/waiting.ts";
import { Refusal, type RunRequest, type Source } from "./source.ts";

/**
 * Wraps every source: numbers its events, checks them, renames repeated ids, closes from the inside out what is left open,
 * and writes the one run-start and the one run-end. Nothing is visible before the log has stored it.
 */
export interface Runner {
  /**
   * Resolves when run-start is stored. A run id that exists already starts nothing (`started: false`), however often and
   * however concurrently it is posted, and to however many processes. Rejects with a Refusal if the source throws before its
   * first event.
   */
  start(request: RunRequest, agent: RunnableAgent): Promise<{ readonly run: string; readonly started: boolean }>;
  /**
   * Idempotent. Resolves when the cancel is stored: the run (or the one call or sub-agent) has ended. `unknown`: there is
   * nothing such. A run that is at work in another process is cancelled there. Rejects with a Refusal while the log takes no
   * end of a run that has stopped, and if no process has acted in time.
   */
  cancel(run: string, target?: CancelTarget): Promise<"cancelled" | "ended" | "unknown">;
  /**
   * First answer wins; the same again is `same`, another `conflict`; an ask that expired or was cancelled is `closed`. The
   * same wherever the run is at work; rejects with a Refusal if no process has acted in time.
   */
  answer(
    run: string,
    ask: string,
    answer: Answer,
    by?: string,
  ): Promise<"accepted" | "same" | "conflict" | "closed" | "unknown">;
  /** Undefined unless the run is active in this process. */
  waiting(run: string): Waiting | undefined;
  readonly active: number;
  /** How many of the active runs wait for what. */
  states(): ReadonlyMap<Waiting["waiting"], number>;
  /**
   * Takes over the runs whose process is gone: continues those whose source can resume, ends the others as `interrupted`.
   * Answers how many; what cannot be taken over is reported and tried again later. From then on it does so continuously.
   */
  recover(): Promise<number>;
  /**
   * Takes nothing new, interrupts what still runs and waits until that is stored, or until a log that fails has had `graceMs`
   * for it. With `handOverMs`, runs that can go on in another process are left to it first: at their next safe point (no step
   * and no call under way), or as they are after that time. Others have that time to end by themselves.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  readonly handOverMs?: number | undefined;
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
  /** Finds an agent by its configured name, for runs that another process began. Without it they end as `interrupted`. */
  readonly findAgent?: (name: string) => RunnableAgent | undefined;
  /** Called once for each run that ended, after its run-end is stored; never awaited, and what it throws is only reported. */
  readonly onEnd?: (ended: EndedRun) => unknown;
  /** Hears of each event of a run as it is written here, except pieces (deltas). Must be quick and must not throw. */
  readonly observe?: (run: ObservedRun, event: Event) => void;
  /** Told of what has no other place: an onEnd that threw, a log that cannot be written. */
  readonly onProblem?: (error: unknown) => void;
  /**
   * Told of a run whose log failed in its midst: who follows it should be cut off, since what they wait for may never come.
   * Its end is written as soon as the log takes it.
   */
  readonly onCut?: (run: string) => void;
  /** Ends the run with the error `timeout`. Default: none. */
  readonly timeoutMs?: number;
  /** Ends the run with the error `too-large`; its files count. Default: 256 MB. */
  readonly maxBytes?: number;
  /** How long a cancelled source may take to stop before it is left behind. Default: 5 s. */
  readonly graceMs?: number;
  /** How long a run-start waits for a name and a model from the source. Default: 1 s. */
  readonly firstEventMs?: number;
  /** How long this process counts as alive after a heartbeat; it sends three in that time. Default: 10 s. */
  readonly leaseMs?: number;
  /** How long a cancel or an answer waits for the process that owns the run. Default: the lease and 5 s. */
  readonly controlMs?: number;
}

export type ObservedRun = Pick<EndedRun, "run" | "request"> & { readonly agent: RunnableAgent };

export interface EndedRun {
  readonly run: string;
  readonly request: RunRequest;
  readonly end: EventOf<"run-end">;
  /** The whole log of the run, read when asked for. */
  entries(): AsyncIterable<readonly Entry[]>;
}

const LEASE_MS = 10_000;
/** How long after the end of a dead owner's lease another process acts on what was sent to a run. */
const TAKEOVER_MS = 5000;

export const createRunner = (options: RunnerOptions): Runner => {
  const { log, leaseMs = LEASE_MS } = options;
  const onProblem = (error: unknown) => void options.onProblem?.(error);
  const active = new Map<string, Active>();
  const flusher = createFlusher(onProblem);
  const remote = createRemote(log, options.controlMs ?? leaseMs + TAKEOVER_MS);
  const onLost = (error: unknown) => [...active.values()].forEach((running) => running.lose(error));
  const lease = createLease({ log, leaseMs, onLost, onProblem });
  let controls: Controls | undefined;
  let isClosed = false;

  const join = async (): Promise<void> => {
    controls ??= createControls(log, active, (running) => running instanceof ActiveRun, onProblem);
    await lease.join();
  };

  const notifyEnd = async (run: string, request: RunRequest, end: EventOf<"run-end">): Promise<void> => {
    try {
      await options.onEnd?.({ run, request, end, entries: () => pagesOf(log, run) });
    } catch (error) {
      onProblem(error);
    }
  };

  const track = (run: string, request: RunRequest, running: ActiveRun): void => {
    active.set(run, running);
    void running.ended.then((end) => {
      active.delete(run);
      controls?.forget(run);
      if (end) void notifyEnd(run, request, end);
    });
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
      await join();
      // Whoever closes the runner has seen only that this start was being decided.
      if (isClosed) throw stopping();
      const as = { owner: lease.owner, epoch: 1 };
      const started = new ActiveRun({ ...options, run, request, agent, flusher, lease, as });
      track(run, request, started);
      await started.started;
      controls?.ready(run);
      return { run, started: true };
    } catch (error) {
      active.delete(run);
      // Another process was faster.
      if (isAnothers(error) && (await log.info(run))) return { run, started: false };
      throw error;
    } finally {
      decided.resolve();
    }
  };

  const takeOver = async (info: RunInfo): Promise<boolean> => {
    const { run, owner, startedAt } = info;
    if (active.has(run) || isClosed) return false;
    const decided = Promise.withResolvers<void>();
    active.set(run, placeholder(decided.promise));
    try {
      const as = await log.takeOver(run, lease.owner);
      if (!as) {
        active.delete(run);
        return false;
      }
      try {
        // Whoever closes the runner has seen only that this was being decided.
        if (isClosed) throw stopping();
        const { request, agent, problem } = await continuationOf(log, info, options.findAgent);
        const takeover = {
          after: as.seq,
          startedAt,
          reason: owner === undefined ? "released" : "expired",
          ...(problem && { problem }),
        } as const;
        const running = new ActiveRun({ ...options, run, request, agent, flusher, lease, as, takeover });
        track(run, request, running);
        await running.started;
        if (problem) await running.ended;
        controls?.read(run);
        return true;
      } catch (error) {
        // Somebody else may succeed.
        await log.release(run, as).catch(onProblem);
        throw error;
      }
    } catch (cause) {
      active.delete(run);
      onProblem(new Error(`run ${run} cannot be taken over: ${messageOf(cause)}`, { cause }));
      return false;
    } finally {
      decided.resolve();
    }
  };
  const scan = createScan(log, (run) => active.has(run), takeOver, onProblem);

  /** Asks the run at work here, or where it is at work if that is elsewhere. */
  const steer = async <Result extends string>(
    run: string,
    here: (running: Active) => Promise<Result | "unknown">,
    elsewhere: () => Promise<Result | "unknown">,
  ): Promise<Result | "unknown"> => {
    let running = active.get(run);
    if (running && !(running instanceof ActiveRun)) {
      await running.started;
      running = active.get(run);
    }
    try {
      const result = running && (await here(running));
      // A run that was lost to another process is no longer active.
      if (result !== undefined && (result !== "unknown" || active.has(run))) return result;
    } catch (error) {
      if (!isAnothers(error)) throw error;
    }
    const info = await log.info(run);
    return info && !info.dropped ? await elsewhere() : "unknown";
  };

  return {
    async start(request, agent) {
      if (isClosed) throw stopping();
      return await begin(request.run ?? createRunId(), request, agent);
    },
    cancel: (run, target = {}) =>
      steer(
        run,
        (running) => running.cancel(target),
        () => remote.cancel(run, target),
      ),
    answer: (run, ask, answer, by) =>
      steer(
        run,
        (running) => running.answer(ask, answer, by),
        () => remote.answer(run, ask, answer, by),
      ),
    waiting: (run) => active.get(run)?.waiting(),
    get active() {
      return active.size;
    },
    states: () => statesOf(active.values()),
    async recover() {
      await join();
      const taken = await scan.once();
      if (!isClosed) scan.start();
      return taken;
    },
    async close({ handOverMs } = {}) {
      isClosed = true;
      scan.stop();
      if (handOverMs !== undefined) {
        const deadline = AbortSignal.timeout(handOverMs);
        await Promise.all([...active.values()].map((running) => running.handOver(deadline)));
      }
      const error = { code: "interrupted", message: "the server was stopped", retryable: true };
      await Promise.all([...active.values()].map((running) => running.close({ outcome: "interrupted", error })));
      controls?.close();
      await lease.leave();
    },
  };
};

const stopping = () => new Refusal("stopping", "the server is stopping", { status: 503, retryable: true });
