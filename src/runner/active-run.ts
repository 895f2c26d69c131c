import type { Waiting } from "../dialect.ts";
import type { Event, EventOf, Problem } from "../events.ts";
import { type Given, LogReset } from "../log.ts";
import type { AnswerResult, CancelResult, CancelTarget } from "../runner.ts";
import type { RunContext } from "../source.ts";
import { takeAttachments, withAttachments } from "./attachments.ts";
import { type Ending, closeAsks, closeTarget } from "./close.ts";
import { isAnothers, keepClosing } from "./close-cut.ts";
import { emitEnd } from "./emit-end.ts";
import { createFiles, type Files } from "./files.ts";
import { canHandOver, isBeginning, isSafePoint, LOOK_MS, release } from "./hand-over.ts";
import { Intake } from "./intake.ts";
import { type Effect, hasFailed, INITIAL, type Input, isOver, next, type State } from "./lifecycle.ts";
import { endNotStored, timedOut } from "./problem.ts";
import { readSource, type Reading } from "./read-source.ts";
import { resumeAfter, type Takeover } from "./resume.ts";
import { runContext } from "./run-context.ts";
import type { RunOptions } from "./run-options.ts";
import { emitStart } from "./run-start.ts";
import { after, delay } from "./timer.ts";
import { waitingFor } from "./waiting.ts";
import { Writer } from "./writer.ts";

const OVER: Problem = { code: "over", message: "the run is over" };
const MAX_BYTES = 256 * 1024 * 1024;
const GRACE_MS = 5000;
const FIRST_EVENT_MS = 1000;

/** A run that is active in this process. Performs the effects that `lifecycle.ts` decides on, using the source, the writer and timers. */
export class ActiveRun {
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #files: Files;
  readonly #writer: Writer;
  readonly #intake: Intake;
  readonly #context: RunContext;
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<EventOf<"run-end"> | undefined>();
  readonly #graceMs: number;
  #state: State = INITIAL;
  #isLeaving = false;
  #iterator: AsyncIterator<Event> | undefined;
  #stopTimer: (() => void) | undefined;
  // Created on demand, because few runs fail.
  #failing: PromiseWithResolvers<void> | undefined;
  #giveUp: AbortController | undefined;

  constructor(options: RunOptions) {
    const { log, run, flusher, as, maxBytes = MAX_BYTES, graceMs = GRACE_MS } = options;
    this.#options = options;
    this.#graceMs = graceMs;
    this.#files = createFiles(log, run, () => this.#intake, options.onProblem);
    const onFailure = (error: unknown) => {
      this.#apply({ type: "log-failed", error, isAnothers: isAnothers(error) });
      // The engine lost entries, so no other process owns the run. Release it; the next owner continues from what the engine still has.
      if (error instanceof LogReset) log.release(run, as).catch((problem: unknown) => options.onProblem?.(problem));
    };
    this.#writer = new Writer({ log, run, flusher, as, onFailure });
    this.#intake = new Intake(this.#writer, this.#stop.signal, maxBytes, options);
    this.#context = runContext(options, this.#stop.signal, this.#intake, this.#files);
    this.#read().then(
      (end) => this.#apply({ type: "source-ended", ...(end && { end }) }),
      (error: unknown) => this.#apply({ type: "source-failed", error }),
    );
  }

  /** Resolves when run-start or run-resume is stored. Rejects if the source refused. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Resolves with the stored run-end, or with undefined if there was none to store. Never rejects. */
  get ended(): Promise<EventOf<"run-end"> | undefined> {
    return this.#ended.promise;
  }

  async cancel({ agent, call, by, reason }: CancelTarget): Promise<CancelResult> {
    await this.#pastKnown();
    if (call !== undefined) return await this.#cancelOne("call", call);
    if (agent !== undefined) return await this.#cancelOne("agent", agent);
    if (isOver(this.#state)) return await this.#tooLate();
    const message = reason ?? (by ? `The run was stopped by ${by}.` : "The run was stopped.");
    await this.#end({ outcome: "cancelled", error: { code: "cancelled", message, retryable: false } });
    return hasFailed(this.#state) ? await this.#tooLate() : "cancelled";
  }

  async answer(ask: string, answer: Given, by: string | undefined): Promise<AnswerResult> {
    await this.#pastKnown();
    if (hasFailed(this.#state)) return (await this.#settled()) ? "closed" : "unknown";
    const result = this.#intake.asks.answer(this.#intake.verifier.asks.get(ask), answer, by);
    if (result !== "unknown") await this.#writer.flushed();
    return result;
  }

  waiting(): Waiting {
    const { verifier, isRetrying } = this.#intake;
    const waiting = hasFailed(this.#state) ? "storage" : waitingFor(verifier.root, isRetrying);
    return { waiting, since: this.#writer.lastAt };
  }

  /**
   * Ends the run early. The source has `graceMs` to stop. Resolves when the end is stored. If the log has failed and
   * does not recover in that time, the run is left without an end.
   */
  async close(ending: Ending): Promise<void> {
    await this.#pastKnown();
    await this.#end(ending).catch(() => {});
    this.#giveUp?.abort();
  }

  /**
   * Leaves the run to another process at the next safe point, or anywhere once the deadline aborts. A run that no other
   * process can continue stays active past the deadline.
   */
  async handOver(deadline: AbortSignal): Promise<void> {
    await this.started.catch(() => {});
    this.#isLeaving = canHandOver(this.#options);
    while (!isOver(this.#state) && !deadline.aborted) {
      this.#leaveIfSafe();
      await Promise.race([this.ended, delay(LOOK_MS)]);
    }
    if (this.#isLeaving) this.#apply({ type: "hand-over" });
  }

  /** Another process owns the run, or may own it: stops the source and writes nothing more. */
  lose(error: unknown): void {
    this.#writer.fail(error);
  }

  #apply(input: Input): void {
    const { state, effects } = next(this.#state, input);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: Effect): void {
    switch (effect.do) {
      case "confirm-start":
        return this.#confirmStart();
      case "refuse-start":
        return void this.#refuseStart(effect.error, effect.discard);
      case "stop-source":
        return this.#stopSource(effect.ending);
      case "abandon-source":
        return this.#abandonSource(effect.error ?? OVER);
      case "write-end":
        return this.#writeEnd(effect.ending, effect.end);
      case "report":
        return this.#options.onProblem?.(effect.error);
      case "release":
        return void release(this.#options, this.#writer).then(() => this.#apply({ type: "released" }));
      case "retry-end":
        return this.#retryEnd(effect.ending);
      case "settle":
        return this.#ended.resolve(effect.end);
    }
  }

  async #read(): Promise<EventOf<"run-end"> | undefined> {
    const { run, agent, takeover } = this.#options;
    if (takeover) return await this.#resume(takeover);
    const { request, stored } = await takeAttachments(this.#options.request, run, this.#files);
    const begin = async (start: EventOf<"run-start"> | undefined) => {
      await emitStart(this.#intake, { run, request: stored, agent }, start, this.#files.put);
      await this.#writer.flushed();
      this.#apply({ type: "start-stored" });
    };
    return await this.#readFrom(() => agent.source(request, this.#context), begin);
  }

  async #resume(takeover: Takeover): Promise<EventOf<"run-end"> | undefined> {
    const { log, run, request, agent, as } = this.#options;
    const at = { log, run, agent, owner: as.owner, intake: this.#intake, writer: this.#writer };
    const past = await resumeAfter(takeover, at);
    this.#apply({ type: "start-stored" });
    this.#intake.asks.arm();
    const { resume } = agent.source;
    if (takeover.problem) return { type: "run-end", outcome: "interrupted", error: takeover.problem };
    if (!resume) throw new TypeError(`the agent ${agent.name} cannot continue a run`);
    const withFiles = await withAttachments(request, this.#files);
    return await this.#readFrom(() => resume(withFiles, this.#context, past));
  }

  async #readFrom(
    source: () => AsyncIterable<Event>,
    begin: Reading["begin"] = () => Promise.resolve(),
  ): Promise<EventOf<"run-end"> | undefined> {
    // Stopped while its files were read: a source that starts now would miss the abort, but may have to stop elsewhere.
    const isElsewhere = this.#options.agent.source.follows && this.#state.name === "stopping";
    if (this.#stop.signal.aborted && !isElsewhere) return void (await begin(undefined));
    const events = source();
    const iterator = (this.#intake.redactor?.events(events) ?? events)[Symbol.asyncIterator]();
    this.#iterator = iterator;
    return await readSource(iterator, {
      intake: this.#intake,
      put: this.#files.put,
      firstEventMs: this.#options.firstEventMs ?? FIRST_EVENT_MS,
      isOver: () => isOver(this.#state),
      before: (event) => isBeginning(event) && this.#leaveIfSafe(),
      begin,
    });
  }

  #confirmStart(): void {
    const { timeoutMs, takeover } = this.#options;
    if (timeoutMs) {
      const ending: Ending = { outcome: "error", error: timedOut(timeoutMs) };
      const spent = takeover ? Math.max(0, Date.now() - takeover.startedAt) : 0;
      this.#stopTimer = after(Math.max(0, timeoutMs - spent), () => this.#apply({ type: "stop", ending }));
    }
    this.#started.resolve();
  }

  async #refuseStart(error: unknown, discard: boolean): Promise<void> {
    // Discard before rejecting: the caller may start the same id again, with new files.
    if (discard) await this.#files.discard().catch((problem: unknown) => this.#options.onProblem?.(problem));
    this.#started.reject(error);
    this.#ended.resolve(undefined);
  }

  #stopSource(ending: Ending): void {
    this.#stop.abort(ending.error ?? { code: ending.outcome, message: `the run was ${ending.outcome}` });
    // A source that waits for an answer would wait forever.
    for (const event of closeAsks(this.#intake.verifier.root, ending)) this.#intake.emit(event);
    setTimeout(() => this.#apply({ type: "grace-over" }), this.#graceMs).unref();
  }

  #abandonSource(reason: unknown): void {
    this.#stopTimer?.();
    this.#intake.asks.close();
    // Pass a reason: the default is an exception with a stack trace that no one reads.
    this.#stop.abort(reason);
    void this.#iterator?.return?.().catch(() => {});
  }

  #writeEnd(asked: Ending | undefined, end: EventOf<"run-end"> | undefined): void {
    const written = emitEnd(this.#intake, asked, end);
    this.#abandonSource(written.error ?? OVER);
    const onStored = () => this.#apply({ type: "end-stored", end: written });
    // The writer reports a failure.
    this.#writer.flushed().then(onStored, () => {});
  }

  #leaveIfSafe(): void {
    if (this.#isLeaving && (this.#options.agent.source.follows || isSafePoint(this.#intake.verifier.root)))
      this.#apply({ type: "hand-over" });
  }

  #retryEnd(ending: Ending): void {
    const { run, onCut } = this.#options;
    (this.#failing ??= Promise.withResolvers()).resolve();
    this.#giveUp = new AbortController();
    onCut?.(run);
    void keepClosing(this.#options, ending, this.#giveUp.signal).then((end) =>
      this.#apply({ type: "end-stored", ...(end && { end }) }),
    );
  }

  /** Controls for a run that is being taken over wait until its past has been read. */
  async #pastKnown(): Promise<void> {
    if (this.#options.takeover && this.#state.name === "starting") await this.started.catch(() => {});
  }

  async #end(ending: Ending): Promise<void> {
    this.#apply({ type: "stop", ending });
    await this.#settled();
  }

  /** Resolves with the stored run-end, or with undefined if another process now owns the run. */
  async #settled(): Promise<EventOf<"run-end"> | undefined> {
    this.#failing ??= Promise.withResolvers();
    const overdue = this.#failing.promise.then(() => delay(this.#graceMs));
    const first = await Promise.race([this.ended.then((end) => ({ end })), overdue]);
    if (!first) throw endNotStored(this.#options.run);
    return first.end;
  }

  async #cancelOne(kind: "call" | "agent", id: string): Promise<CancelResult> {
    if (hasFailed(this.#state)) return await this.#tooLate();
    const { verifier, targets, renamer } = this.#intake;
    const target = kind === "call" ? verifier.calls.get(id) : verifier.agents.get(id);
    if (!target) return "unknown";
    const isOpen = "phase" in target ? target.phase !== "ended" : target.open;
    if (!isOpen) return "ended";
    const forced: Ending = { outcome: "cancelled" };
    for (const event of closeAsks(target, forced)) this.#intake.emit(event);
    await targets.cancel(kind, id, renamer.original(id), Math.min(this.#graceMs, 2000), () => {
      if (!isOver(this.#state)) for (const event of closeTarget(target, forced)) this.#intake.emit(event);
    });
    return await this.#writer.flushed().then(
      () => "cancelled" as const,
      () => this.#tooLate(),
    );
  }

  /** The result of a cancel that came too late. */
  async #tooLate(): Promise<"ended" | "unknown"> {
    return (await this.#settled()) ? "ended" : "unknown";
  }
}
