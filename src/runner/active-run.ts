import type { Waiting } from "../dialect.ts";
import type { Answer, Event, EventOf, Problem } from "../events.ts";
import type { CancelTarget, RunnableAgent, RunnerOptions } from "../runner.ts";
import type { RunRequest } from "../source.ts";
import { misfitOf } from "../verify.ts";
import type { AskResult } from "./asks.ts";
import { type Ending, closeAsks, closeInside, closeQuietly, closeTarget, endingOf, unfinished } from "./close.ts";
import { isAnothers, keepClosing } from "./close-cut.ts";
import { createFiles } from "./files.ts";
import { Intake, received } from "./intake.ts";
import { notWritten, problemOf, timedOut, unwritten } from "./problem.ts";
import { runStart } from "./run-start.ts";
import { isLarge, spill } from "./spill.ts";
import { after } from "./timer.ts";
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
  const stop = new AbortController();
  const writer = createWriter({ log, run, turn, onFailure: (error) => fail(error) });
  const intake = new Intake(writer, stop.signal, maxBytes);
  const { verifier } = intake;
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<EventOf<"run-end"> | undefined>();
  let ending: Ending | undefined;
  let stopTimer = (): void => {};
  let isFinished = false;
  let isStarted = false;
  let hasFailed = false;
  // Made when somebody needs them: few runs fail.
  let failing: PromiseWithResolvers<void> | undefined;
  let leave: AbortController | undefined;
  let release = (): void => {};

  const files = createFiles(log, run);

  const begin = async (first: Event | undefined): Promise<void> => {
    const said = first?.type === "run-start" && misfitOf(first) === undefined ? first : undefined;
    intake.emit(await runStart(run, request, agent, said, files.put));
    await writer.flushed();
    if (!timeoutMs) return;
    const why: Ending = { outcome: "error", error: timedOut(timeoutMs) };
    stopTimer = after(timeoutMs, () => void end(why).catch(() => {}));
  };

  const answerTo = async (ask: string): Promise<AskResult> => {
    const result = await intake.asks.answerTo(intake.renamer.latestAsk(ask));
    // Whoever hears of an answer acts on it, and what is not stored was not said.
    return await writer.flushed().then(
      () => result,
      () => ({ outcome: "cancelled" }),
    );
  };

  const pump = async (): Promise<EventOf<"run-end"> | undefined> => {
    const iterator = agent
      .source(request, {
        run,
        signal: stop.signal,
        signalOf: (kind, id) => intake.targets.signalOf(kind, id),
        answerTo,
        put: files.put,
        get: files.get,
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
      const event = received(next.value);
      if (event.type === "run-end") {
        // Measured here, where a throw ends the run: what closes it repeats the error that this says.
        sizeOf(event);
        return intake.renamer.rename(event) as EventOf<"run-end">;
      }
      if (isLarge(event)) for (const small of await spill(event, files.put)) intake.take(small);
      else intake.take(event);
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
    stopTimer();
    const cause: Ending | undefined =
      ending ?? (problem ? { outcome: "error", error: problem } : (endingOf(said) ?? unfinished(verifier.root)));
    if (!cause) for (const event of closeQuietly(verifier.root)) intake.emit(event);
    for (const event of closeInside(verifier.root, cause ?? { outcome: "interrupted" })) intake.emit(event);
    const runEnd = {
      type: "run-end",
      outcome: cause?.outcome ?? "done",
      ...(cause?.error && { error: cause.error }),
    } as const;
    let written: EventOf<"run-end"> = { ...runEnd, ...intake.tally.summary(said, !cause) };
    try {
      intake.emit(written);
    } catch (error) {
      // The source named an answer or a call that does not exist.
      written = { ...runEnd, outcome: "error", error: problemOf(error), ...intake.tally.summary(undefined, false) };
      intake.emit(written);
    }
    intake.asks.close();
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
    stopTimer();
    options.onProblem?.(error);
    intake.asks.close();
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
      for (const event of closeAsks(verifier.root, why)) intake.emit(event);
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
    for (const event of closeAsks(target, forced)) intake.emit(event);
    await intake.targets.cancel(kind, id, intake.renamer.original(id), Math.min(graceMs, 2000), () => {
      if (!isFinished) for (const event of closeTarget(target, forced)) intake.emit(event);
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
      const refuse = () => {
        started.reject(error);
        resolveEnded(undefined);
      };
      // Before anybody hears of it: the same id may be started again, with files of its own.
      files.discard().then(refuse, (problem: unknown) => (options.onProblem?.(problem), refuse()));
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
        error: {
          code: "cancelled",
          message: reason ?? (by ? `The run was stopped by ${by}.` : "The run was stopped."),
          retryable: false,
        },
      });
      return hasFailed ? await tooLate() : "cancelled";
    },
    answer: async (ask, answer, by) => {
      if (hasFailed) return (await settled(), "closed");
      const result = intake.asks.answer(verifier.asks.get(ask), answer, by);
      if (result === "accepted") await writer.flushed();
      return result;
    },
    waiting: () => ({
      waiting: hasFailed ? "retry" : waitingFor(verifier.root, intake.isRetrying),
      since: writer.lastAt,
    }),
  };
};

const soon = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined).unref());
