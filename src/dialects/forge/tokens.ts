import type { EventOf } from "../../events.ts";
import { createRunningText } from "./running-text.ts";

/** A Forge event: its name and data. */
export type ForgeEvent = readonly [event: string, data: Readonly<Record<string, unknown>>];

/**
 * The root agent's output as `token` and `thinking` events. Each repeats the whole text, which makes a long answer cost
 * the square of its length. So beyond a certain length, deltas that follow too soon after the last frame are held back
 * and sent with the next one, which limits the characters per second. Held text is flushed before any other event and
 * when its part ends.
 */
export interface Tokens {
  start(event: EventOf<"text-start" | "thinking-start">): void;
  take(event: EventOf<"text-delta" | "thinking-delta">, at: number): readonly ForgeEvent[];
  end(event: EventOf<"text-end" | "thinking-end">): readonly ForgeEvent[];
  flush(): readonly ForgeEvent[];
  /** The run's text. */
  readonly whole: string;
}

/** Up to this many characters, nothing is held back. */
const FREE = 16 * 1024;
/** Characters per millisecond: the rate of sending a text of `FREE` characters every 50 ms. */
const PACE = FREE / 50;

export const createTokens = (extensions = false): Tokens => {
  const text = createRunningText();
  const thinking = createRunningText();
  let held:
    | { readonly part: string; readonly token: string; readonly write: (token: string) => ForgeEvent }
    | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;

  const flush = (): readonly ForgeEvent[] => {
    const flushed = held && [held.write(held.token)];
    held = undefined;
    return flushed ?? [];
  };

  return {
    start({ type, part, agent, ...event }) {
      // The output of sub-agents is for the agent that started them, not for the user.
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
      const write = (whole: string): ForgeEvent =>
        isText
          ? ["token", { token: whole, cumulative, ...more }]
          : ["thinking", { content: whole, cumulative, ...more }];
      const isSoon = at - sentAt < cumulative.length / PACE;
      if (isSoon && cumulative.length > FREE && !extensions) {
        held = { part, token, write };
        return before;
      }
      held = undefined;
      sentAt = at;
      return [...before, write(token)];
    },
    end: ({ part }) => (held?.part === part ? flush() : []),
    flush,
    get whole() {
      return text.whole;
    },
  };
};
