import { expect, test } from "vitest";
import { forge } from "../../src/dialects/forge.ts";
import type { Entry } from "../../src/events.ts";
import { frameText } from "../../src/sse.ts";
import { forgePage } from "../dialects/forge-page.ts";

const MODEL = 100;
const TOKEN = " tok";

/** A response of a model that emits this many tokens per second, with the tokens of one dialect window merged. */
function* answer(tokens: number, perSecond: number, windowMs: number): Generator<Entry> {
  let seq = 0;
  const entry = (at: number, event: Entry["event"]): Entry => ({ seq: ++seq, at, event });
  yield entry(0, { type: "run-start", protocol: 1, run: "r", name: "a" });
  yield entry(0, { type: "step-start", step: "s" });
  yield entry(0, { type: "text-start", part: "p" });
  let delta = "";
  for (let index = 0; index < tokens; index++) {
    const at = Math.round((index * 1000) / perSecond);
    const next = Math.round(((index + 1) * 1000) / perSecond);
    delta += TOKEN;
    if (index + 1 < tokens && Math.floor(at / windowMs) === Math.floor(next / windowMs)) continue;
    yield entry(at, { type: "text-delta", part: "p", delta });
    delta = "";
  }
  yield entry((tokens * 1000) / perSecond, { type: "text-end", part: "p" });
  yield entry((tokens * 1000) / perSecond, { type: "step-end", step: "s", finish: "stop" });
  yield entry((tokens * 1000) / perSecond, { type: "run-end", outcome: "done", answer: ["p"] });
}

const bytesOf = (tokens: number, perSecond: number, windowMs = forge.windowMs!): number => {
  const encode = forge.encode({ link: () => "" });
  let bytes = 0;
  for (const entry of answer(tokens, perSecond, windowMs))
    for (const frame of encode(entry)) bytes += frameText(frame).length;
  return bytes;
};

test("wire bytes grow with the square of the answer only while it is short, then at a fixed rate", () => {
  const counts = [1_000, 4_000, 16_000, 64_000];
  const bytes = counts.map((tokens) => bytesOf(tokens, MODEL));
  const mega = (some: number) => `${(some / 1e6).toFixed(1)} MB`;
  console.info(
    counts
      .map((tokens, index) => {
        const spans = (tokens / MODEL) * (1000 / forge.windowMs!);
        const length = (tokens * TOKEN.length) / 2;
        return `forge, ${tokens} tokens at ${MODEL}/s: ${mega(bytes[index]!)} (one by one ${mega(tokens * length)}, by spans alone ${mega(spans * length)})`;
      })
      .join("\n"),
  );
  // 16 KB per 50 ms is the maximum for any token of a long response, regardless of its length.
  const most = (16 * 1024 * 20) / MODEL + 100;
  expect((bytes[2]! - bytes[1]!) / 12_000).toBeLessThan(most);
  expect((bytes[3]! - bytes[2]!) / 48_000).toBeLessThan(most);
});

test("held-back text is sent: the page has every word, in order, and cumulative ends with its token", () => {
  const page = forgePage();
  const encode = forge.encode({ link: () => "" });
  const text = [...answer(20_000, 1000, 1)].flatMap((entry) => encode(entry)).map(frameText);
  const shown = page.show(text);
  expect(shown?.content).toBe(TOKEN.repeat(20_000));
  const tokens = page.seen.filter(({ event }) => event === "token");
  expect(tokens.map(({ data }) => data["token"]).join("")).toBe(shown?.content);
  for (const { data } of tokens) expect(data["cumulative"].endsWith(data["token"])).toBe(true);
  expect(tokens.at(-1)?.data["cumulative"]).toBe(shown?.content);
});

test("held-back text is sent before any other event", () => {
  const encode = forge.encode({ link: () => "" });
  const names: string[] = [];
  for (const entry of answer(8_000, 1000, 1)) {
    const { seq, at } = entry;
    if (entry.event.type === "text-end")
      for (const frame of encode({ seq, at, event: { type: "tool-start", call: "c", name: "t" } }))
        names.push(frame.event!);
    else encode(entry);
  }
  expect(names).toEqual(["token", "tool_call"]);
});
