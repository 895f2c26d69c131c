import type { Waiting } from "../dialect.ts";
import type { Answer, Event, EventOf, Problem } from "../events.ts";
import type { CancelTarget, RunnableAgent, RunnerOptions } from "../runner.ts";
import { Refusal, type RunRequest } from "../source.ts";
import { createVerifier } from "../verify.ts";
import { createAsks } from "./asks.ts";
import {
  type Ending,
  closeAsks,
  closeInside,
  closeQuietly,
  closeTarget,
  endingOf,
  leftOpen,
  unfinished,
} from "./close.ts";
import { isAnothers, keepClosing } from "./close-cut.ts";
import { createFiles } from "./files.ts";
import { createIsLate } from "./late.ts";
import { notWritten, problemOf, timedOut, tooLarge, unwritten } from "./problem.ts";
import { createRenamer } from "./rename.ts";
import { runStart } from "./run-start.ts";
import { isLarge, spill } from "./spill.ts";
import { createTally } from "./tally.ts";
import { createTargets } from "./targets.ts";
import type { Turn } from "./turn.ts";
import { waitingFor } from "./waiting.ts";
import { createWriter, sizeOf } from "./writer.ts";

export interface ActiveRun {
  /** Resolves when run-start is stored; rejects if the source refused. */
  readonly started: Promise<void>;
  /** Resolves when run-end is stored, or with nothing if there was none to store. Never rejects. */
  readonly ended: Promise<EventOf<"run-end"> | undefined>;
  cancel(target: CancelTarget): Promise<"cancelled" | "ended" | "unknown">;
  answer(
    ask: string,
    answer: Answer,
    by: string | undefined,
  ): Promise<"accepted" | "same" | "conflict" | "closed" | "unknown">;
  waiting(): Waiting;
  /**
   * Ends the run early: its source is told to stop and has `graceMs` for it. Resolves when that is stored; if the log has
   * failed and takes nothing in that time either, the run is left without an end.
   */
  close(ending: Ending): Promise<void>;
}

const OVER: Problem = { code: "over", message: "the run is over" };
const FIRST_EVENT_MS = 1000;
/** Events taken in before the event loop gets a turn: a source that never waits must not starve everybody else. */
const BREATH = 256;

export const startRun = (
  run: string,
  request: RunRequest,
  agent: RunnableAgent,
  options: RunnerOptions,
  turn: Turn,
): ActiveRun => {
  const { log, timeoutMs, maxBytes = 256 * 1024 * 1024, graceMs = 5000 } = options;
  const verifier = createVerifier();
  const renamer = createRenamer(verifier);
  const tally = createTally();
  const stop = new AbortController();
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<EventOf<"run-end"> | undefined>();
  const writer = createWriter({ log, run, turn, onFailure: (error) => fail(error) });
  const asks = createAsks((event) => emit(event));
  const targets = createTargets(stop.signal);
  const isLate = createIsLate(verifier, () => targets.anyForced);
  let ending: Ending | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastRetry: string | undefined;
  let isFinished = false;
  let isStarted = false;
  let hasFailed = false;
  // Made when somebody needs them: few runs fail.
  let failing: PromiseWithResolvers<void> | undefined;
  let leave: AbortController | undefined;
  let release = (): void => {};

  const files = createFiles(log, run);

  const emit = (event: Event): void => {
    // Measured first: what cannot be stored must not count as said.
    const size = sizeOf(event);
    const wrong = verifier.check(event);
    if (wrong) throw new Refusal("invalid-event", `the agent broke the protocol: ${wrong}`);
    lastRetry = undefined;
    // Nearly every event is a piece of something, of which nobody else keeps account.
    if (!("delta" in event)) observe(event);
    writer.write(event, size);
  };

  const observe = (event: Event): void => {
    tally.observe(event);
    if (event.type === "ask-start" || event.type === "ask-end") asks.observe(event);
    else if (event.type === "tool-end") targets.ended("call", event.call);
    else if (event.type === "agent-end") targets.ended("agent", event.agent);
    else if (event.type === "step-retry") lastRetry = event.step;
  };

  const take = (sourced: Event): void => {
    if (sourced.type === "run-start") return;
    const event = renamer.rename(sourced);
    if (isLate(event)) {
      // Nobody hears of this ask: whoever waits for its answer would wait in vain.
      if (event.type === "ask-start") asks.observe({ type: "ask-end", ask: event.ask, outcome: "cancelled" });
      return;
    }
    if (!("delta" in event)) makeWay(event, sourced);
    emit(event);
    if (writer.bytes > maxBytes) throw tooLarge(maxBytes);
  };

  /** Sees to what must be so before this is said. */
  const makeWay = (event: Event, sourced: Event): void => {
    if (sourced.type === "tool-start") targets.begun("call", sourced.call);
    else if (sourced.type === "agent-start") targets.begun("agent", sourced.agent);
    for (const closing of leftOpen(verifier, event)) emit(closing);
  };

  const begin = async (first: Event | undefined): Promise<void> => {
    emit(await runStart(run, request, agent, first?.type === "run-start" ? first : undefined, files.put));
    await writer.flushed();
    if (!timeoutMs) return;
    const why: Ending = { outcome: "error", error: timedOut(timeoutMs) };
    timer = setTimeout(() => void end(why).catch(() => {}), timeoutMs);
  };

  const answerTo = (ask: string) => asks.answerTo(renamer.latestAsk(ask));

  const pump = async (): Promise<EventOf<"run-end"> | undefined> => {
    const iterator = agent
      .source(request, {
        run,
        signal: stop.signal,
        signalOf: (kind, id) => targets.signalOf(kind, id),
        answerTo,
        ...files,
      })
      [Symbol.asyncIterator]();
    release = () => void iterator.return?.().catch(() => {});
    const pull = iterator.next();
    const first = await Promise.race([pull, soon(FIRST_EVENT_MS)]);
    await begin(first?.done ? undefined : first?.value);
    isStarted = true;
    started.resolve();
    for (
      let next = first ?? (await pull), taken = 1;
      !next.done && !isFinished;
      next = await iterator.next(), taken++
    ) {
      const event = next.value;
      if (event.type === "run-end") return renamer.rename(event) as EventOf<"run-end">;
      if (isLarge(event)) for (const small of await spill(event, files.put)) take(small);
      else take(event);
      if (taken % BREATH === 0) await breath();
    }
    return undefined;
  };

  const breath = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (writer.waiting >= BREATH) await writer.flushed();
  };

  /** Closes what is open and writes the one run-end. */
  const finish = (said: EventOf<"run-end"> | undefined, problem: Problem | undefined): void => {
    if (isFinished) return;
    isFinished = true;
    clearTimeout(timer);
    const cause: Ending | undefined =
      ending ?? (problem ? { outcome: "error", error: problem } : (endingOf(said) ?? unfinished(verifier.root)));
    if (!cause) for (const event of closeQuietly(verifier.root)) emit(event);
    for (const event of closeInside(verifier.root, cause ?? { outcome: "interrupted" })) emit(event);
    const runEnd = {
      type: "run-end",
      outcome: cause?.outcome ?? "done",
      ...(cause?.error && { error: cause.error }),
    } as const;
    let written: EventOf<"run-end"> = { ...runEnd, ...tally.summary(said, !cause) };
    try {
      emit(written);
    } catch (error) {
      // The source named an answer or a call that does not exist.
      written = { ...runEnd, outcome: "error", error: problemOf(error), ...tally.summary(undefined, false) };
      emit(written);
    }
    asks.close();
    // With a reason of ours: the default one is an exception with a stack, made for nobody.
    stop.abort(written.error ?? OVER);
    release();
    // If not, `fail` sees to its end.
    writer.flushed().then(
      () => resolveEnded(written),
      () => {},
    );
  };

  /** The log takes nothing now. What is not stored was not said, and the source must not work for nobody. */
  const fail = (error: unknown): void => {
    isFinished = hasFailed = true;
    clearTimeout(timer);
    options.onProblem?.(error);
    asks.close();
    stop.abort(error);
    release();
    if (!isStarted) started.reject(error);
    if (!isStarted || isAnothers(error)) return resolveEnded(undefined);
    (failing ??= Promise.withResolvers()).resolve();
    leave = new AbortController();
    options.onCut?.(run);
    const why: Ending = ending ?? { outcome: "error", error: unwritten(error) };
    void keepClosing(log, run, why, turn, leave.signal).then(resolveEnded);
  };

  /** Resolves when the run's end is stored, with nothing if it is no longer ours to store. */
  const settled = async (): Promise<EventOf<"run-end"> | undefined> => {
    failing ??= Promise.withResolvers();
    const late = failing.promise.then(() => soon(graceMs));
    const first = await Promise.race([ended.then((end) => ({ end })), late]);
    if (!first) throw notWritten(run);
    return first.end;
  };

  const end = async (why: Ending): Promise<void> => {
    if (!ending && !isFinished) {
      ending = why;
      stop.abort(why.error ?? { code: why.outcome, message: `the run was ${why.outcome}` });
      // Who waits for a person would wait in vain.
      for (const event of closeAsks(verifier.root, why)) emit(event);
      const over = () => finish(undefined, undefined);
      // What has no run-start yet can have no run-end.
      setTimeout(() => void started.promise.then(over, () => {}), graceMs).unref();
    }
    await settled();
  };

  const cancelOne = async (kind: "call" | "agent", id: string): Promise<"cancelled" | "ended" | "unknown"> => {
    if (hasFailed) return await tooLate();
    const target = kind === "call" ? verifier.calls.get(id) : verifier.agents.get(id);
    if (!target) return "unknown";
    const isOpen = "phase" in target ? target.phase !== "ended" : target.open;
    if (!isOpen) return "ended";
    const forced: Ending = { outcome: "cancelled" };
    for (const event of closeAsks(target, forced)) emit(event);
    await targets.cancel(kind, id, renamer.original(id), Math.min(graceMs, 2000), () => {
      if (!isFinished) closeTarget(target, forced).forEach(emit);
    });
    return await writer.flushed().then(() => "cancelled" as const, tooLate);
  };

  /** The answer to a cancel that came too late. */
  const tooLate = async () => ((await settled()) ? "ended" : "unknown");

  const started = Promise.withResolvers<void>();
  pump().then(
    (said) => finish(said, undefined),
    (error: unknown) => {
      if (verifier.started) return finish(undefined, problemOf(error));
      isFinished = true;
      stop.abort(OVER);
      release();
      started.reject(error);
      resolveEnded(undefined);
    },
  );

  return {
    started: started.promise,
    ended,
    close: async (why) => {
      await end(why).catch(() => {});
      leave?.abort();
    },
    cancel: async ({ agent: child, call, by, reason }) => {
      if (call !== undefined) return await cancelOne("call", call);
      if (child !== undefined) return await cancelOne("agent", child);
      if (isFinished) return await tooLate();
      await end({
        outcome: "cancelled",
        error: { code: "cancelled", message: reason ?? (by ? `stopped by ${by}` : "stopped"), retryable: false },
      });
      return hasFailed ? await tooLate() : "cancelled";
    },
    answer: async (ask, answer, by) => {
      if (hasFailed) return (await settled(), "closed");
      const result = asks.answer(verifier.asks.get(ask), answer, by);
      if (result === "accepted") await writer.flushed();
      return result;
    },
    waiting: () => ({
      waiting: hasFailed ? "retry" : waitingFor(verifier.root, lastRetry !== undefined),
      since: writer.lastAt,
    }),
  };
};

const soon = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined).unref());
