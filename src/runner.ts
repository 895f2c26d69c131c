import type { Waiting } from "./dialect.ts";
import type { Entry, Event, EventOf } from "./events.ts";
import type { Given, Log, RunInfo } from "./log.ts";
import { messageOf } from "./message-of.ts";
import { createRunId } from "./run-id.ts";
import { type Active, placeholder } from "./runner/active.ts";
import { ActiveRun } from "./runner/active-run.ts";
import { isAnothers } from "./runner/close-cut.ts";
import { type Controls, createControls } from "./runner/controls.ts";
import { createFlusher } from "./runner/flusher.ts";
import { createLease, LeaseLost } from "./runner/lease.ts";
import { createRemote } from "./runner/remote.ts";
import { pagesOf } from "./runner/resume.ts";
import { createStranded } from "./runner/stranded.ts";
import { continuationOf, createScan } from "./runner/takeovers.ts";
import { statesOf } from "./runner/waiting.ts";
import { Refusal, type RunContext, type RunRequest, type Source } from "./source.ts";

/**
 * Wraps a source: numbers and checks its events, renames repeated ids, closes open items from the inside out, and
 * writes exactly one run-start and one run-end. Nothing is visible before the log has stored it.
 */
export interface Runner {
  /**
   * Resolves when run-start is stored. Posting an existing run id starts nothing (`started: false`), even with
   * concurrent posts to several processes. Rejects with a Refusal if the source throws before its first event.
   */
  start(request: RunRequest, agent: RunnableAgent): Promise<{ readonly run: string; readonly started: boolean }>;
  /**
   * Idempotent. Resolves when the cancel is stored and the run (or the targeted call or sub-agent) has ended.
   * `unknown`: no such target. If another process owns the run, that process cancels it. Rejects with a Refusal if the
   * log cannot store the end of a stopped run, or if no process acts in time.
   */
  cancel(run: string, target?: CancelTarget): Promise<CancelResult>;
  /**
   * The first answer wins. The same answer again returns `same`, a different one `conflict`. An expired or cancelled
   * ask returns `closed`. Works for runs owned by other processes. Rejects with a Refusal if no process acts in time.
   */
  answer(run: string, ask: string, answer: Given, by?: string): Promise<AnswerResult>;
  /** Undefined unless the run is active in this process. */
  waiting(run: string): Waiting | undefined;
  readonly active: number;
  /** The number of active runs per waiting state. */
  states(): ReadonlyMap<Waiting["waiting"], number>;
  /**
   * Takes over runs whose process is gone: continues those whose source can resume and ends the others as `interrupted`. Returns the
   * number taken over. Reports and later retries runs that cannot be taken over. Keeps scanning from then on.
   */
  recover(): Promise<number>;
  /**
   * Rejects new runs, interrupts active ones and waits until that is stored, or for `graceMs` if the log fails. With
   * `handOverMs`, first leaves resumable runs to another process at their next safe point (no open step or call), or
   * wherever they are when that time is up. Other runs have that time to finish.
   */
  close(options?: CloseOptions): Promise<void>;
}

export type CancelResult = "cancelled" | "ended" | "unknown";
export type AnswerResult = "accepted" | "same" | "conflict" | "closed" | "unknown";

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

export interface RunnerOptions extends Pick<RunContext, "prices"> {
  readonly log: Log;
  /** Finds an agent by its configured name, to continue runs of other processes. Without it, those runs end as `interrupted`. */
  readonly findAgent?: (name: string) => RunnableAgent | undefined;
  /** Called once per ended run, after its run-end is stored. Not awaited; errors it throws are only reported. */
  readonly onEnd?: (ended: EndedRun) => unknown;
  /** Called for each event written by this process, except deltas. Must be fast and must not throw. */
  readonly observe?: (run: ObservedRun, event: Event) => void;
  /** Receives errors that have no caller to go to, such as an onEnd that threw or a failed log write. */
  readonly onProblem?: (error: unknown) => void;
  /**
   * Called when the log fails during a run. Disconnect the run's followers, because the entries they wait for may never
   * come. The run's end is written as soon as the log accepts it.
   */
  readonly onCut?: (run: string) => void;
  /** The time limit of a run. A longer run ends with the error `timeout`. Default: none. */
  readonly timeoutMs?: number;
  /** The size limit of a run, including its files. A larger run ends with the error `too-large`. Default: 256 MB. */
  readonly maxBytes?: number;
  /** How long a cancelled source may take to stop before it is abandoned. Default: 5 s. */
  readonly graceMs?: number;
  /** How long run-start waits for the name and model from the source. Default: 1 s. */
  readonly firstEventMs?: number;
  /** How long this process counts as alive after a heartbeat. It sends three heartbeats in that time. Default: 10 s. */
  readonly leaseMs?: number;
  /** How long a cancel or an answer waits for the process that owns the run. Default: the lease plus 5 s. */
  readonly controlMs?: number;
}

export type ObservedRun = Pick<EndedRun, "run" | "request"> & { readonly agent: RunnableAgent };

export interface EndedRun {
  readonly run: string;
  readonly request: RunRequest;
  readonly end: EventOf<"run-end">;
  /** The run's complete log, read on demand. */
  entries(): AsyncIterable<readonly Entry[]>;
}

const LEASE_MS = 10_000;
/** How long another process may take, after a dead owner's lease expires, to take over a run and act on its controls. */
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
    const { owner } = lease;
    active.set(run, running);
    void running.ended.then((end) => {
      active.delete(run);
      controls?.forget(run);
      if (end) void notifyEnd(run, request, end);
      // Usually another process has it, or can take it because the lease ended.
      else if (!isClosed && owner === lease.owner) void stranded.add(run);
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
    // Claim the id before the first await, so two posts of the same id cannot both start it.
    const decided = Promise.withResolvers<void>();
    active.set(run, placeholder(decided.promise));
    try {
      if (request.run !== undefined && (await log.info(run))) {
        active.delete(run);
        return { run, started: false };
      }
      await join();
      // The runner may have closed while this start was a placeholder, which close() cannot stop.
      if (isClosed) throw stopping();
      const as = { owner: lease.owner, epoch: 1 };
      const started = new ActiveRun({ ...options, run, request, agent, flusher, lease, as });
      track(run, request, started);
      await started.started;
      controls?.ready(run);
      return { run, started: true };
    } catch (error) {
      active.delete(run);
      // Another process started the run first.
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
      const as = await join().then(() => log.takeOver(run, lease.owner));
      if (!as) {
        active.delete(run);
        return false;
      }
      const { request, agent, problem } = await continuationOf(log, info, options.findAgent);
      // The runner may have closed while this takeover was a placeholder, which close() cannot stop.
      if (isClosed) throw stopping();
      if (as.owner !== lease.owner) throw new LeaseLost("the lease was lost in the meantime");
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
    } catch (cause) {
      active.delete(run);
      onProblem(new Error(`run ${run} cannot be taken over: ${messageOf(cause)}`, { cause }));
      // Another process may succeed.
      await stranded.add(run);
      return false;
    } finally {
      decided.resolve();
    }
  };
  const isActive = (run: string) => active.has(run);
  const stranded = createStranded(log, () => lease.owner, isActive, onProblem);
  const scan = createScan(log, isActive, takeOver, () => join().then(stranded.retry), onProblem);

  /** Calls `here` if the run is active in this process, and `elsewhere` otherwise. */
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
      // A run lost to another process is no longer active.
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
