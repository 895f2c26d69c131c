import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import type { Entry, Event } from "../../src/events.ts";
import { createWindow } from "../../src/server/window.ts";
import { call, done, ended, framesOf, itemsOf, run, shown, start, text } from "./open-webui-page.ts";

describe("budgets", () => {
  const lineBytes = (entries: readonly Entry[], style?: string) =>
    Math.max(...framesOf(entries, style).map(({ data }) => Buffer.byteLength(data)));

  test.each(STYLES)("no line of %s exceeds 64 KB, whatever the content", (style) => {
    const long = 'é\u0001🙂"\\<'.repeat(40_000);
    const events: Event[] = [
      ...text("p", long),
      { type: "thinking-start", part: "t" },
      { type: "thinking-delta", part: "t", delta: long },
      { type: "thinking-end", part: "t" },
      ...Array.from({ length: 40 }, (_, index) => [
        ...call(`c${index}`, long, { content: long, [long.slice(0, 5000)]: [long] }),
        { type: "status", call: `c${index}`, text: long } as Event,
        ended(`c${index}`, long),
        { type: "file", name: long, file: `f${index}`, mediaType: "image/png" } as Event,
        { type: "embed", embed: `e${index}`, html: long.slice(0, 9000) } as Event,
      ]).flat(),
      { type: "citation", citation: "c", title: long, text: long },
      { type: "notice", level: "info", text: long },
      {
        type: "data",
        name: "todos",
        value: Array.from({ length: 200 }, (_, index) => ({ id: `${index}`, text: long, status: "done" })),
      },
      { type: "step-end", step: "s", finish: "stop" },
    ];
    expect(lineBytes(run(...events), style)).toBeLessThanOrEqual(64 * 1024);
  });

  test("the text is never truncated, and a result is truncated in the middle with a note of where the full text is", () => {
    const answer = "word ".repeat(40_000);
    const frames = framesOf(
      run(...call("c", "bash"), ended("c", `head${"x".repeat(60_000)}tail`), ...text("p", answer)),
    );
    const [card, rest] = shown(frames);
    expect(rest).toBe(answer);
    expect(card!.length).toBeLessThan(4600);
    expect(card).toMatch(/: headxxx[^]*characters left out; full text: http:\/\/runcast\/\?run=r&read …\][^]*xtail\]$/);
  });

  test("of a result stored alongside the log, head, tail and link are shown", () => {
    const file = {
      type: "file",
      file: "f",
      mediaType: "text/plain",
      bytes: 90_000,
      head: "head ".repeat(800),
      tail: " tail".repeat(800),
    } as const;
    const [card] = shown(
      framesOf(run(...call("c", "cat"), { type: "tool-end", call: "c", outcome: "ok", content: [file] })),
    );
    expect(card).toMatch(
      /: head head[^]*\[… 85\d{3} characters left out; full text: http:\/\/runcast\/files\/f …\][^]* tail\]$/,
    );
  });

  test("a long text is not sent again", () => {
    const frames = framesOf(run(...text("p", "word ".repeat(40_000))));
    expect(frames.some(({ data }) => data.includes("response.completed"))).toBe(false);
  });

  test("for 50 KB of results and 500 tokens, older versions send at most 1.5 MB to the page, newer ones 200 KB", () => {
    const tokens = Array.from({ length: 500 }, (): Event => ({ type: "text-delta", part: "p", delta: "token " }));
    const events: Event[] = [
      start,
      ...call("c", "bash"),
      ended("c", "x".repeat(50_000)),
      { type: "text-start", part: "p" },
      ...tokens,
    ];
    const entries = [...events, { type: "text-end", part: "p" } as Event, done].map((event, index): Entry => ({
      seq: index + 1,
      at: 1_700_000_000_000 + index * 20,
      event,
    }));
    const window = createWindow((after, limit) => entries.slice(after, after + limit), openWebui.windowMs!);
    const encode = openWebui.encode({ link: () => "http://runcast/f" });
    const frames = [];
    let [older, newer] = [0, 0];
    for (let after = 0; after < entries.length;)
      for (const entry of window.read(after, 256, 0, { releasedTo: 0, onHeld: () => {} }) as readonly Entry[]) {
        after = entry.seq;
        for (const frame of encode(entry)) {
          frames.push(frame);
          newer += frame.data.length;
          older += frame.data.startsWith('{"type":"response.')
            ? JSON.stringify(itemsOf(frames)).length
            : frame.data.length;
        }
      }
    expect(older).toBeLessThan(1_500_000);
    expect(newer).toBeLessThan(200_000);
  });
});
