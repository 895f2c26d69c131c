import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import type { Entry } from "../../src/events.ts";
import { arbitraryLog } from "../generate.ts";
import { type Generation, generations } from "./generations.ts";
import { createOpenWebui } from "./open-webui.ts";
import { shownItems } from "./showing.ts";

interface Line {
  readonly runcast?: { readonly will?: readonly unknown[] };
}

const lineOf = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** Simulates the pipe: keeps what is addressed to it and forwards the rest. If the stream breaks permanently, it sends the `will`. */
const pipe = (style: string, generation: Generation, entries: readonly Entry[]) => {
  const encode = openWebui.encode({ style: `${style}; mode=native`, link: ({ file }) => `/files/${file}` });
  const lines = entries
    .flatMap((entry) => encode(entry))
    .flatMap(({ data }) => (data === "[DONE]" ? [] : [JSON.parse(data) as Line]));
  return (count: number) => {
    const webui = createOpenWebui(generation);
    let will: readonly unknown[] = [];
    for (const line of lines.slice(0, count)) {
      if (line.runcast === undefined) webui.take(lineOf(line));
      else if (line.runcast.will) will = line.runcast.will;
    }
    for (const line of will) webui.take(lineOf(line));
    webui.end();
    return { webui, isLast: count >= lines.length };
  };
};

describe.each(generations)("in generation $name", (generation) => {
  test.each(STYLES)("%s: wherever the stream breaks, the will closes every call", (style) => {
    for (const entries of fc.sample(arbitraryLog(2), { numRuns: 3, seed: 5 })) {
      const broken = pipe(style, generation, entries);
      for (let count = 1; ; count++) {
        const { webui, isLast } = broken(count);
        expect(webui.executes).toEqual([]);
        const cards = shownItems(webui.reloaded(), generation).filter((item) => item.kind === "card");
        expect(cards.filter(({ state }) => state === "spinner")).toEqual([]);
        if (isLast) break;
      }
    }
  });
});
