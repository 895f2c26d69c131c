import type { Event, EventOf } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import { type Redactor, Refusal } from "../source.ts";
import { createVerifier, eventProblem } from "../verify.ts";
import { createAsks, isAboutAsk } from "./asks.ts";
import { leftOpen } from "./close.ts";
import { Costs } from "./costs.ts";
import { createIsStale, type IsStale } from "./stale.ts";
import { tooLarge } from "./problem.ts";
import type { RunOptions } from "./run-options.ts";
import { Renamer } from "./rename.ts";
import { Tally } from "./tally.ts";
import { Targets } from "./targets.ts";
import { sizeOf, type Writer } from "./writer.ts";

/** The entry point for all events of one run: checks, tracks and writes them. */
export class Intake {
  readonly verifier = createVerifier();
  readonly renamer = new Renamer(this.verifier);
  readonly tally = new Tally();
  readonly costs: Costs;
  readonly asks = createAsks((event) => this.emit(event));
  readonly targets: Targets;
  readonly writer: Writer;
  readonly redactor: Redactor | undefined;
  readonly #isStale: IsStale;
  readonly #maxBytes: number;
  /** Called for everything written except deltas. */
  readonly #onEvent: ((event: Event) => void) | undefined;
  /** Whether the last event announced a retry of a step. */
  isRetrying = false;

  constructor(writer: Writer, stop: AbortSignal, maxBytes: number, options: RunOptions) {
    this.redactor = options.agent.source.redaction?.();
    this.costs = new Costs(options.prices);
    this.writer = writer;
    this.targets = new Targets(stop);
    this.#isStale = createIsStale(this.verifier, this.targets);
    this.#maxBytes = maxBytes;
    this.#onEvent = options.observe?.bind(undefined, options);
  }

  /** Emits an event that the runner creates. Throws a Refusal, and emits nothing, if the grammar does not allow it. */
  emit(event: Event, isRedacted = this.redactor === undefined): void {
    // Measure first: sizeOf throws for an event that cannot be stored, and the verifier must not count it.
    const size = sizeOf(event);
    const wrong = this.verifier.check(event);
    if (wrong) throw broken(wrong);
    this.isRetrying = false;
    // Nearly all events are deltas, which need no tracking.
    if (!("delta" in event)) this.#observe(event);
    this.writer.write(isRedacted ? event : this.redactor!.event(event), size);
  }

  /** Replays an event that an earlier owner of the run wrote. */
  replay(event: Event): void {
    this.verifier.check(event);
    if ("delta" in event) return;
    this.tally.observe(event);
    this.costs.observe(event);
    if (isAboutAsk(event)) this.asks.replay(event);
  }

  /** Accepts an event of the source. Throws a Refusal if it breaks the grammar or the run's size limit. */
  take(sourced: Event): void {
    if (sourced.type === "run-start") return;
    const renamed = this.renamer.rename(sourced);
    const event = renamed.type === "run-resume" ? this.#placed(renamed) : this.costs.add(renamed);
    if (this.#isStale(event)) {
      // This ask is dropped from the log, so settle its waiters: no answer can come.
      if (event.type === "ask-start") this.asks.observe({ type: "ask-end", ask: event.ask, outcome: "cancelled" });
      return;
    }
    if (!("delta" in event)) this.#makeWay(event, sourced);
    this.emit(event, true);
    if (this.writer.bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }

  /** Counts bytes stored alongside the log. Throws a Refusal, and counts nothing, if they exceed the run's limit. */
  count(bytes: number): void {
    if (this.writer.bytes + bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
    this.writer.bytes += bytes;
  }

  /** A source that follows another log forwards that log's run-resume, whose `after` counts that log's entries. */
  #placed(event: EventOf<"run-resume">): Event {
    const { lastWork, seq } = this.verifier;
    return { ...event, after: Math.min(Math.max(event.after, lastWork), seq) };
  }

  /** Emits what must precede this event. */
  #makeWay(event: Event, sourced: Event): void {
    if (sourced.type === "tool-start") this.targets.begun("call", sourced.call);
    else if (sourced.type === "agent-start") this.targets.begun("agent", sourced.agent);
    for (const closing of leftOpen(this.verifier, event)) this.emit(closing);
  }

  #observe(event: Event): void {
    this.tally.observe(event);
    this.costs.observe(event);
    this.#onEvent?.(event);
    if (isAboutAsk(event)) this.asks.observe(event);
    else if (event.type === "tool-end") this.targets.ended("call", event.call);
    else if (event.type === "agent-end") this.targets.ended("agent", event.agent);
    else if (event.type === "step-retry") this.isRetrying = true;
    else event satisfies EventsAbout;
  }
}

/** Checks that a value from a source is an event. Throws a Refusal otherwise. */
export const received = (value: unknown): Event => {
  const wrong = eventProblem(value);
  if (wrong) throw broken(wrong);
  return value as Event;
};

const broken = (wrong: string): Refusal => new Refusal("invalid-event", `the agent broke the protocol: ${wrong}`);
