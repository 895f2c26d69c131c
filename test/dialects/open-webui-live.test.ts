import { describe, expect, test } from "vitest";
import { withHeight } from "../../src/dialects/frames/embed-page.ts";
import type { EncodeOptions } from "../../src/dialect.ts";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Event } from "../../src/events.ts";
import { link, numbered } from "./dialect-frames.ts";
import { linesOf, page, type Line, shown } from "./open-webui-page.ts";

const embed: EncodeOptions["embed"] = (access) => `http://runcast/live?run=r&token=${access}`;

const run: readonly Event[] = [
  { type: "run-start", protocol: 2, run: "r", name: "agent" },
  { type: "step-start", step: "s" },
  { type: "text-start", part: "p" },
  { type: "text-delta", part: "p", delta: "I look." },
  { type: "text-end", part: "p" },
  { type: "tool-start", call: "c", name: "look" },
  { type: "tool-input-end", call: "c", input: {} },
  { type: "step-end", step: "s", finish: "tools" },
  { type: "ask-start", ask: "q", kind: "approval", call: "c" },
];
const rest: readonly Event[] = [
  { type: "ask-end", ask: "q", outcome: "answered", answer: { allow: true } },
  { type: "tool-execute", call: "c" },
  { type: "embed", embed: "e", html: "<p>chart</p>", call: "c" },
  { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: "seen" }] },
  { type: "run-end", outcome: "done" },
];

const framesOf = (events: readonly Event[], options: Partial<EncodeOptions> = { embed }) => {
  const encode = openWebui.encode({ link, page, style: "live", ...options });
  return numbered(events).flatMap((entry) => [...encode(entry)]);
};
const embedsIn = (lines: readonly Line[]) =>
  lines.flatMap(({ event }) => (event?.type === "embeds" ? [event.data.embeds] : []));

describe("the style live", () => {
  test("has a link with answering during the run, and leaves a read-only one", () => {
    const [reads, answers] = ["read", "answer"].map((access) => `http://runcast/live?run=r&token=${access}`);
    expect(embedsIn(linesOf(framesOf([...run, ...rest])))).toEqual([
      [answers],
      [answers, withHeight("<p>chart</p>")],
      [reads, withHeight("<p>chart</p>")],
    ]);
  });

  test("only text becomes items, with a link for answering while one is needed", () => {
    expect(shown(framesOf(run))).toEqual([
      "I look.",
      "✋ `Allow look?` Answer above, or [here](http://runcast/?run=r&answer)",
    ]);
    expect(shown(framesOf([...run, ...rest]))).toEqual(["I look."]);
  });

  test("opens no dialog through the pipe, unlike the other styles", () => {
    const calls = (style: string) =>
      linesOf(framesOf(run, { embed, style: `${style}; open-webui=0.12.4; mode=native` })).filter(
        ({ runcast }) => runcast?.call,
      );
    expect(calls("cards")).toHaveLength(1);
    expect(calls("live")).toEqual([]);
  });

  test.each([
    ["no page may frame a run", { style: "live" }, { style: "cards" }],
    [
      "Open WebUI is too old for embeds",
      { embed, style: "live; open-webui=0.9.0; mode=native" },
      { style: "cards; open-webui=0.9.0; mode=native" },
    ],
  ])("equals the style cards if %s", (_, live, cards) => {
    expect(framesOf([...run, ...rest], live)).toEqual(framesOf([...run, ...rest], cards));
  });
});
