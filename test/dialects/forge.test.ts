import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "../../src/dialect.ts";
import { forge } from "../../src/dialects/forge.ts";
import { EVENT_TYPES, type Entry, type Event, type EventOf } from "../../src/events.ts";
import { frameText } from "../../src/sse.ts";
import { arbitraryLog } from "../generate.ts";
import { type Card, forgePage, iconOf } from "./forge-page.ts";
import { endingOf } from "./ending.ts";

const runs = path.join(import.meta.dirname, "../../golden/runs");
const stories = readdirSync(runs).map((file) => path.basename(file, ".jsonl"));
const logOf = (story: string): Entry[] =>
  readFileSync(path.join(runs, `${story}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const link = ({ file }: { file: string }) => `http://here/${file}`;
const entriesOf = (...events: Event[]): Entry[] =>
  events.map((event, index) => ({ seq: index + 1, at: 1_000_000 + index * 100, event }));
const encoded = (entries: readonly Entry[], extensions = false): Frame[] => {
  const encode = forge.encode({ link, extensions });
  return entries.flatMap((entry) => encode(entry));
};
const framesFor = (...events: Event[]) =>
  encoded(entriesOf(...events)).map(({ event, data }) => [event, JSON.parse(data)] as const);

const root: Event[] = [
  { type: "run-start", protocol: 1, run: "r1", name: "a" },
  { type: "step-start", step: "s" },
];
const callEvents = (call: string, name: string, input: object, end: Partial<EventOf<"tool-end">>): Event[] => [
  { type: "tool-start", call, name },
  { type: "tool-input-delta", call, delta: JSON.stringify(input) },
  { type: "tool-input-end", call },
  { type: "step-end", step: "s", finish: "tools" },
  { type: "tool-execute", call },
  { type: "tool-end", call, outcome: "ok", ...end },
];

describe("the family's own examples", () => {
  test.each([
    [
      "token",
      [
        { type: "text-start", part: "p" },
        { type: "text-delta", part: "p", delta: "The" },
        { type: "text-delta", part: "p", delta: " weather" },
      ],
      `{"token":" weather","cumulative":"The weather"}`,
    ],
    [
      "thinking",
      [
        { type: "thinking-start", part: "p" },
        { type: "thinking-delta", part: "p", delta: "The user wants weather for London. " },
        { type: "thinking-delta", part: "p", delta: "Let me check the weather API..." },
      ],
      `{"content":"Let me check the weather API...","cumulative":"The user wants weather for London. Let me check the weather API..."}`,
    ],
    [
      "tool_call",
      callEvents("call_abc123", "weather__get_forecast", { city: "London", days: 3 }, {}).slice(0, 5),
      `{"id":"call_abc123","tool_name":"weather__get_forecast","arguments":{"city":"London","days":3},"status":"executing"}`,
    ],
    [
      "tool_result",
      callEvents(
        "call_abc123",
        "weather__get_forecast",
        {},
        {
          content: [{ type: "text", text: "18 degrees" }],
          value: { temperature: 18, conditions: "Partly cloudy" },
          ms: 245.4,
        },
      ),
      `{"tool_call_id":"call_abc123","result":{"temperature":18,"conditions":"Partly cloudy"},"is_error":false,"latency_ms":245}`,
    ],
    [
      "error",
      [
        {
          type: "run-end",
          outcome: "error",
          error: { code: "STREAM_ERROR", message: "Connection to LLM provider failed", retryable: true },
        },
      ],
      `{"code":"STREAM_ERROR","message":"Connection to LLM provider failed","retryable":true}`,
    ],
  ] as [string, Event[], string][])("%s", (event, events, data) => {
    const frame = encoded(entriesOf(...root, ...events)).at(-1);
    expect(frame).toMatchObject({ event, data });
  });

  test("ping", () => {
    const [ping] = forge.heartbeat.frames({ waiting: "tool", since: 5 });
    expect(ping?.event).toBe("ping");
    const { timestamp, ...more } = JSON.parse(ping!.data);
    expect(more).toEqual({});
    expect(Number.isInteger(timestamp)).toBe(true);
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(5);
    expect(forge.heartbeat.everyMs).toBe(30_000);
  });

  test("a call is pending when requested, gets its complete arguments, executes, completes and gets its result", () => {
    const input = { city: "London" };
    const call = { id: "c", tool_name: "t", arguments: input };
    expect(framesFor(...root, ...callEvents("c", "t", input, { content: [{ type: "text", text: "18" }] }))).toEqual([
      ["tool_call", { ...call, arguments: {}, status: "pending" }],
      ["tool_call", { ...call, status: "pending" }],
      ["tool_call", { ...call, status: "executing" }],
      ["tool_call", { ...call, status: "complete" }],
      ["tool_result", { tool_call_id: "c", result: "18", is_error: false, latency_ms: 100 }],
    ]);
  });

  test.each([
    ["error", { error: { code: "x", message: "it broke" } }, "it broke"],
    ["timeout", {}, "The call timed out."],
    ["cancelled", {}, "The call was cancelled."],
    [
      "error",
      { content: [{ type: "json", value: { why: "no" } }], error: { code: "x", message: "no" } },
      { why: "no" },
    ],
  ] as const)("a call that ends as %s is red", (outcome, end, result) => {
    const frames = framesFor(...root, ...callEvents("c", "t", {}, { ...end, outcome } as EventOf<"tool-end">));
    expect(frames.slice(-2)).toMatchObject([
      ["tool_call", { status: "error" }],
      ["tool_result", { result, is_error: true }],
    ]);
  });

  test("files are links, mixed results are lists, and arguments that are not an object are shown unchanged", () => {
    const file = { type: "file", file: "f1", mediaType: "image/png", bytes: 9 } as const;
    const mixed = callEvents("c", "t", [1], { content: [{ type: "text", text: "look" }, file] });
    const frames = framesFor(...root, ...mixed);
    expect(frames[1]?.[1]).toMatchObject({ arguments: { raw: [1] } });
    expect(frames.at(-1)?.[1]["result"]).toEqual([
      "look",
      { media_type: "image/png", bytes: 9, url: "http://here/f1" },
    ]);
  });

  test("parts are separated, a replacement takes the place of its part, and cumulative ends with its token", () => {
    const frames = framesFor(
      ...root,
      { type: "text-start", part: "a" },
      { type: "text-delta", part: "a", delta: "First." },
      { type: "text-start", part: "b" },
      { type: "text-delta", part: "b", delta: "Second." },
      { type: "text-start", part: "c", replaces: "a" },
      { type: "text-delta", part: "c", delta: "Better." },
      { type: "run-end", outcome: "done", usage: { input: 3, output: 4 } },
    );
    expect(frames.map(([, data]) => data["cumulative"] ?? data["response"])).toEqual([
      "First.",
      "First.\n\nSecond.",
      "Second.\n\nBetter.",
      "Better.\n\nSecond.",
    ]);
    expect(frames.at(-1)?.[1]["usage"]).toEqual({ prompt_tokens: 3, completion_tokens: 4 });
  });

  test("only the end of a run is an error", () => {
    const error = { code: "E", message: "Slow down.", retryable: true, hint: "Wait." };
    const trouble: Event[] = [
      ...root,
      { type: "step-retry", step: "s", attempt: 1, wait: 1, error },
      { type: "notice", level: "error", text: "careful" },
      { type: "status", text: "Working…" },
    ];
    expect(framesFor(...trouble).map(([name]) => name)).toEqual(["tool_call", "tool_result"]);
    expect(framesFor(...trouble, { type: "run-end", outcome: "error", error }).slice(2)).toEqual([
      ["error", { code: "E", message: "Slow down. Wait.", retryable: true }],
    ]);
    expect(framesFor(...root, { type: "run-end", outcome: "cancelled" })).toEqual([
      ["error", { code: "CANCELLED", message: "The run was cancelled.", retryable: false }],
    ]);
  });

  test("a client that cannot answer is shown where to", () => {
    const [asked, ...answered] = framesFor(
      ...root,
      {
        ...{ type: "ask-start", ask: "k", kind: "choice", title: "Which?" },
        options: [{ value: 1, label: "One" }, { value: 2 }],
      },
      { type: "ask-end", ask: "k", outcome: "answered", answer: { value: 2 } },
    );
    expect(asked).toMatchObject([
      "tool_call",
      { arguments: { waiting: "waiting for your answer at /?run=r1", options: ["One", 2] } },
    ]);
    expect(answered).toMatchObject([
      ["tool_call", { id: "k", status: "complete" }],
      ["tool_result", { tool_call_id: "k", result: { value: 2 }, is_error: false, latency_ms: 100 }],
    ]);
  });

  test("every event is full, extended or lost for a reason, and a lost one has no frame", () => {
    expect(Object.keys(forge.coverage).toSorted()).toEqual(EVENT_TYPES.toSorted());
    for (const story of stories) {
      const encode = forge.encode({ link });
      for (const entry of logOf(story))
        if (typeof forge.coverage[entry.event.type] === "object") expect(encode(entry)).toEqual([]);
    }
  });
});

describe("the page's view of every story", () => {
  const partsOf = (log: readonly Entry[], kind: "text" | "thinking"): string => {
    const parts = new Map<string, string>();
    for (const { event } of log)
      if ((event.type === "text-delta" || event.type === "thinking-delta") && event.type === `${kind}-delta`)
        if (event.agent === undefined) parts.set(event.part, (parts.get(event.part) ?? "") + event.delta);
    return [...parts.values()].join("\n\n");
  };
  const pieces = (text: string): string[] => text.match(/[^]{1,97}/g) ?? [];

  test.each(
    stories.flatMap((story) => [
      [story, "\n"],
      [story, "\r\n"],
    ]),
  )("%s (%j)", (story, newline) => {
    const log = logOf(story);
    const text = encoded(log).map(frameText).join("").replaceAll("\n", newline);
    const page = forgePage();
    const shown = page.show(pieces(text))!;
    const end = log.at(-1)!.event as EventOf<"run-end">;

    let whole = "";
    for (const { event, data } of page.seen) {
      if (event !== "token") continue;
      // A new part begins a paragraph.
      expect([whole + data["token"], `${whole}\n\n${data["token"]}`]).toContain(data["cumulative"]);
      whole = data["cumulative"];
    }
    if (end.outcome === "done") {
      const { note } = endingOf(log);
      expect(shown.content).toBe([partsOf(log, "text"), note && `⚠️ ${note}`].filter(Boolean).join("\n\n"));
      expect(page.live.response).toBe(partsOf(log, "text"));
      expect(shown.thinking).toBe(partsOf(log, "thinking"));
      expect(shown.usage).toEqual({ prompt_tokens: end.usage?.input, completion_tokens: end.usage?.output });
      expect(shown.error).toBeUndefined();
    } else {
      expect(shown.content).toBe(end.error?.message);
      expect(shown.error?.retry).toBe(end.error?.retryable);
    }

    const cards = new Map(page.live.cards.map((card) => [card.id, card]));
    for (const { event } of log) {
      if (event.type !== "tool-end") continue;
      const card = cards.get(event.call) as Card;
      expect(iconOf(card), event.call).toBe(event.outcome === "ok" ? "✓" : "✗");
      if (event.ms !== undefined) expect(card.latency_ms).toBe(event.ms);
      if (event.error) expect(card.result).toBe(event.error.message);
      const states = page.seen.flatMap(({ data }) => (data["id"] === event.call ? [data["status"]] : []));
      const executed = log.some(({ event: other }) => other.type === "tool-execute" && other.call === event.call);
      expect([...new Set(states)]).toEqual([
        "pending",
        ...(executed ? ["executing"] : []),
        event.outcome === "ok" ? "complete" : "error",
      ]);
    }
    const shownAsCards = log.filter(({ event }) => ["tool-start", "ask-start", "notice"].includes(event.type));
    expect(cards.size).toBe(shownAsCards.length);
    for (const card of cards.values()) expect(["✓", "✗"]).toContain(iconOf(card));
  });

  test("sub-agents' text is in no token, and their calls are cards", () => {
    const log = logOf("sub-agents");
    const words = (isRoot: boolean) =>
      log.flatMap(({ event }) =>
        event.type === "text-delta" && (event.agent === undefined) === isRoot ? [event.delta] : [],
      );
    const page = forgePage();
    const shown = page.show([encoded(log).map(frameText).join("")])!;
    expect(words(false).length).toBeGreaterThan(50);
    expect(page.seen.flatMap(({ data }) => data["token"] ?? [])).toEqual(words(true));
    expect(shown.cards!.filter(({ tool_name: name }) => name === "search_notes").length).toBe(3);
  });

  test("arguments are the executed ones, including edits", () => {
    const page = forgePage();
    page.show([encoded(logOf("approval")).map(frameText).join("")]);
    const card = page.live.cards.find(({ tool_name: name }) => name === "send_report")!;
    expect(card.arguments["to"]).toBe("team@lantern.example");
  });
});

describe("extensions", () => {
  test("decode(encode(log)) equals the log", () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        const decode = forge.decode();
        const back = encoded(log, true).flatMap((frame) => decode(frame));
        expect(back).toEqual(log.map(({ event }) => event));
      }),
      { numRuns: 60 },
    );
  });

  test.each(stories)("decode(encode(%s)) equals the log, and the page shows the same", (story) => {
    const log = logOf(story);
    const frames = encoded(log, true);
    const decode = forge.decode();
    expect(frames.flatMap((frame) => decode(frame))).toEqual(log.map(({ event }) => event));
    const plain = forgePage();
    const extended = forgePage();
    const shown = plain.show([encoded(log).map(frameText).join("")]);
    expect(extended.show([frames.map(frameText).join("")])).toEqual(shown);
    expect(extended.live.cards).toEqual(plain.live.cards);
  });

  test("deltas after a part's first need no extension", () => {
    const events: Event[] = [...root, { type: "text-start", part: "p" }];
    for (let index = 0; index < 100; index++) events.push({ type: "text-delta", part: "p", delta: `${index} ` });
    const frames = encoded(entriesOf(...events), true);
    expect(frames.filter(({ event }) => event === "token").length).toBe(100);
    expect(frames.filter(({ event }) => event === "runcast").length).toBe(4);
  });
});
