import type { Event, EventOf } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import { type Redactor, Refusal } from "../source.ts";
import { createVerifier, misfitOf } from "../verify.ts";
import { createAsks } from "./asks.ts";
import { leftOpen } from "./close.ts";
import { createIsStale, type IsStale } from "./stale.ts";
import { tooLarge } from "./problem.ts";
import type { RunOptions } from "./run-options.ts";
import { Renamer } from "./rename.ts";
import { Tally } from "./tally.ts";
import { Targets } from "./targets.ts";
import { sizeOf, type Writer } from "./writer.ts";

/** Where all that is said in one run comes in: checked, kept account of, and written. */
export class Intake {
  readonly verifier = createVerifier();
  readonly renamer = new Renamer(this.verifier);
  readonly tally = new Tally();
  readonly asks = createAsks((event) => this.emit(event));
  readonly targets: Targets;
  readonly writer: Writer;
  readonly redactor: Redactor | undefined;
  readonly #isStale: IsStale;
  readonly #maxBytes: number;
  /** Hears of all that is written but pieces. */
  readonly #onEvent: ((event: Event) => void) | undefined;
  /** Whether the last that was said is that a step will be tried again. */
  isRetrying = false;

  constructor(writer: Writer, stop: AbortSignal, maxBytes: number, options: RunOptions) {
    this.redactor = options.agent.source.redaction?.();
    this.writer = writer;
    this.targets = new Targets(stop);
    this.#isStale = createIsStale(this.verifier, this.targets);
    this.#maxBytes = maxBytes;
    this.#onEvent = options.observe?.bind(undefined, options);
  }

  /** Says something in the run's own name. Throws a Refusal, and says nothing, if the grammar has no place for it. */
  emit(event: Event, isRedacted = this.redactor === undefined): void {
    // Measured first: what cannot be stored must not count as said.
    const size = sizeOf(event);
    const wrong = this.verifier.check(event);
    if (wrong) throw broken(wrong);
    this.isRetrying = false;
    // Nearly every event is a piece of something, of which nobody else keeps account.
    if (!("delta" in event)) this.#observe(event);
    this.writer.write(isRedacted ? event : this.redactor!.event(event), size);
  }

  /** Takes in what an earlier owner of the run wrote. */
  replay(event: Event): void {
    this.verifier.check(event);
    if ("delta" in event) return;
    this.tally.observe(event);
    if (event.type === "ask-start" || event.type === "ask-end") this.asks.replay(event);
  }

  /** Takes an event of the source in. Throws a Refusal for one that breaks the grammar or the run's limit. */
  take(sourced: Event): void {
    if (sourced.type === "run-start") return;
    const renamed = this.renamer.rename(sourced);
    const event = renamed.type === "run-resume" ? this.#placed(renamed) : renamed;
    if (this.#isStale(event)) {
      // Nobody hears of this ask: whoever waits for its answer would wait in vain.
      if (event.type === "ask-start") this.asks.observe({ type: "ask-end", ask: event.ask, outcome: "cancelled" });
      return;
    }
    if (!("delta" in event)) this.#makeWay(event, sourced);
    this.emit(event, true);
    if (this.writer.bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }

  /** Counts what is kept beside the log. Throws a Refusal, and counts nothing, if it is over the run's limit. */
  count(bytes: number): void {
    if (this.writer.bytes + bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
    this.writer.bytes += bytes;
  }

  /** A source that reads another log passes its run-resume on, which counts that log's entries. */
  #placed(event: EventOf<"run-resume">): Event {
    const { lastWork, seq } = this.verifier;
    return { ...event, after: Math.min(Math.max(event.after, lastWork), seq) };
  }

  /** Sees to what must be so before this is said. */
  #makeWay(event: Event, sourced: Event): void {
    if (sourced.type === "tool-start") this.targets.begun("call", sourced.call);
    else if (sourced.type === "agent-start") this.targets.begun("agent", sourced.agent);
    for (const closing of leftOpen(this.verifier, event)) this.emit(closing);
  }

  #observe(event: Event): void {
    this.tally.observe(event);
    this.#onEvent?.(event);
    if (event.type === "ask-start" || event.type === "ask-end") this.asks.observe(event);
    else if (event.type === "tool-end") this.targets.ended("call", event.call);
    else if (event.type === "agent-end") this.targets.ended("agent", event.agent);
    else if (event.type === "step-retry") this.isRetrying = true;
    else event satisfies EventsAbout;
  }
}

/** What a source gave, as the event that it should be. Throws a Refusal for anything else. */
export const received = (value: unknown): Event => {
  const wrong = misfitOf(value);
  if (wrong) throw broken(wrong);
  return value as Event;
};

const broken = (wrong: string): Refusal => new Refusal("invalid-event", `the agent broke the protocol: ${wrong}`);
