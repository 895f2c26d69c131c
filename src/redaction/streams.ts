import type { Event } from "../events.ts";
import { parseJson } from "../json.ts";
import type { Cleaner } from "./cleaner.ts";
import { REDACTED, type Scanner } from "./scanner.ts";

type Delta = Extract<Event, { delta: string }>;
type Input = { readonly first: Delta; text: string };

/** Longer arguments are removed completely. */
const LONGEST_INPUT = 1024 * 1024;

/**
 * Cleans streamed text, and holds back text that may be the beginning of a match. Arguments are JSON, in which the same
 * text can be escaped in several ways, so they are held until they are complete.
 */
export class Streams {
  readonly #cleaner: Cleaner;
  readonly #open = new Map<string, { readonly scanner: Scanner; last: Delta }>();
  readonly #inputs = new Map<string, Input>();

  constructor(cleaner: Cleaner) {
    this.#cleaner = cleaner;
  }

  take(event: Delta): readonly Event[] {
    const { meta: _, ...plain } = event;
    if (plain.type === "tool-input-delta") {
      const input = this.#inputs.get(plain.call);
      if (!input) this.#inputs.set(plain.call, { first: plain, text: plain.delta });
      else if (input.text.length <= LONGEST_INPUT) input.text += plain.delta;
      return [];
    }
    const key = keyOf(plain);
    let stream = this.#open.get(key);
    if (!stream) this.#open.set(key, (stream = { scanner: this.#cleaner.scanner(), last: plain }));
    stream.last = plain;
    const delta = stream.scanner.push(plain.delta);
    return delta === "" ? [] : [{ ...plain, delta }];
  }

  /** The held-back text of the streams that this event ends. */
  before(event: Event): readonly Event[] {
    const isOver = overBy(event);
    if (!isOver) return [];
    const rest: Event[] = [];
    for (const [key, { scanner, last }] of this.#open) {
      if (!isOver(last)) continue;
      this.#open.delete(key);
      const delta = scanner.end();
      if (delta !== "") rest.push({ ...last, delta });
    }
    return rest;
  }

  /** The complete arguments of a call. Undefined if they were not streamed. */
  async input(call: string): Promise<readonly Event[] | undefined> {
    const held = this.#inputs.get(call);
    this.#inputs.delete(call);
    if (!held) return undefined;
    const { first, text } = held;
    const about = { call, ...(first.agent !== undefined && { agent: first.agent }) };
    if (text.length > LONGEST_INPUT) {
      this.#cleaner.count("long text");
      return [{ type: "tool-input-end", ...about, input: REDACTED }];
    }
    const value = parseJson(text);
    if (value !== undefined) return [{ type: "tool-input-end", ...about, input: await this.#cleaner.json(value) }];
    const delta = await this.#cleaner.text(text);
    const pieces: Event[] = delta === "" ? [] : [{ type: "tool-input-delta", ...about, delta }];
    return [...pieces, { type: "tool-input-end", ...about }];
  }

  /** The held-back text of all open streams. */
  rest(): readonly Event[] {
    return this.before({ type: "run-end", outcome: "done" });
  }
}

const keyOf = (event: Delta): string =>
  `${event.type} ${"part" in event ? event.part : event.call} ${event.type === "tool-output-delta" ? event.stream : ""}`;

/** Matches the streams that this event ends. */
const overBy = (event: Event): ((last: Delta) => boolean) | undefined => {
  switch (event.type) {
    case "text-end":
    case "thinking-end":
      return (last) => "part" in last && last.part === event.part;
    case "tool-end":
      return (last) => "call" in last && last.call === event.call;
    case "step-end":
    case "agent-end":
      return (last) => last.agent === event.agent && "part" in last;
    case "run-end":
      return () => true;
    default:
      return undefined;
  }
};
