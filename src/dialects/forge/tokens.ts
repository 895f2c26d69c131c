import type { EventOf } from "../../events.ts";
import { createRunningText } from "./running-text.ts";

/** One of Forge's events: its name and its data. */
export type ForgeEvent = readonly [event: string, data: Readonly<Record<string, unknown>>];

/**
 * The root's words as `token` and `thinking`. Each says the whole text again, which would cost the square of a long answer: from
 * some length on, words that come too soon after the last frame are held back and leave with the next, so that a stream carries
 * no more than so much in a second. What is held back leaves before anything else is said, and when its part ends.
 */
export interface Tokens {
  start(event: EventOf<"text-start" | "thinking-start">): void;
  take(event: EventOf<"text-delta" | "thinking-delta">, at: number): readonly ForgeEvent[];
  end(event: EventOf<"text-end" | "thinking-end">): readonly ForgeEvent[];
  flush(): readonly ForgeEvent[];
  /** The text of the run. */
  readonly whole: string;
}

/** Up to this many characters nothing is held back. */
const FREE = 16 * 1024;
/** Characters in a millisecond: what a text of that length takes if it is said every 50 ms. */
const PACE = FREE / 50;

export const createTokens = (extensions = false): Tokens => {
  const text = createRunningText();
  const thinking = createRunningText();
  let held:
    | { readonly part: string; readonly token: string; readonly spell: (token: string) => ForgeEvent }
    | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;

  const flush = (): readonly ForgeEvent[] => {
    const flushed = held && [held.spell(held.token)];
    held = undefined;
    return flushed ?? [];
  };

  return {
    start({ type, part, agent, ...event }) {
      // Sub-agents speak to the agent that started them.
      if (agent !== undefined) return;
      if (type === "thinking-start") thinking.start(part);
      else text.start(part, "replaces" in event ? event.replaces : undefined);
    },
    take({ type, part, delta }, at) {
      const isText = type === "text-delta";
      const cumulative = delta === "" ? undefined : (isText ? text : thinking).add(part, delta);
      if (cumulative === undefined) return [];
      const before = held?.part === part ? [] : flush();
      const token = (held?.token ?? "") + delta;
      const more = extensions && { part };
      const spell = (whole: string): ForgeEvent =>
        isText
          ? ["token", { token: whole, cumulative, ...more }]
          : ["thinking", { content: whole, cumulative, ...more }];
      const isSoon = at - sentAt < cumulative.length / PACE;
      if (isSoon && cumulative.length > FREE && !extensions) {
        held = { part, token, spell };
        return before;
      }
      held = undefined;
      sentAt = at;
      return [...before, spell(token)];
    },
    end: ({ part }) => (held?.part === part ? flush() : []),
    flush,
    get whole() {
      return text.whole;
    },
  };
};
