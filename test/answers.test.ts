import { describe, expect, test } from "vitest";
import type { Command, Dialect } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import type { Event, Message, Part } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import type { Source } from "../src/source.ts";
import { ended, framesOf, post, refusal, textSource, serve, silent, start, until } from "./serving.ts";

const ask = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** One frame per word, two for a capitalized word. The single response contains all words. */
const words: Dialect = {
  ...native,
  name: "words",
  routes: [
    { method: "POST", path: "/words/:what", does: "start" },
    { method: "GET", path: "/words/:run/:what", does: "follow" },
    { method: "GET", path: "/words", does: "reply" },
  ],
  read: ({ does }, { params, query, body }): Command => {
    if (does === "reply") return { do: "reply", reply: async ({ agents }) => (await Promise.resolve(agents)).length };
    const whole =
      params["what"] === "end" || params["what"] === "now" ? { whole: params["what"] as "end" | "now" } : {};
    if (does === "follow") {
      const skip = query.get("skip");
      const skipFrames = skip === null ? {} : { skipFrames: Number(skip) };
      return { do: "follow", run: params["run"]!, after: { seq: 0, frame: 0 }, ...whole, ...skipFrames };
    }
    const { text, continues } = body as { text: string; continues?: string };
    const disconnect = query.get("keep") ? "continue" : "cancel";
    const detached = whole.whole === "now";
    return {
      do: "start",
      request: { messages: [ask(text)] },
      ...whole,
      detached,
      disconnect,
      ...(continues && { continues }),
    };
  },
  encode:
    () =>
    ({ event }) => {
      if (event.type !== "text-delta") return [];
      const isLoud = event.delta === event.delta.toUpperCase();
      return isLoud ? [{ data: event.delta }, { data: `${event.delta}!` }] : [{ data: event.delta }];
    },
  encodeText: undefined as never,
  stateless: undefined as never,
  answer: () => {
    const deltas: string[] = [];
    let isEnded = false;
    return {
      take: ({ event }) => {
        if (event.type === "text-delta") deltas.push(event.delta);
        isEnded ||= event.type === "run-end";
      },
      body: () => ({
        status: isEnded ? 200 : 203,
        headers: { "x-words": `${deltas.length}` },
        body: JSON.stringify(deltas),
      }),
    };
  },
};
const dialects = [native, words];

describe("a single response", () => {
  test("is sent at the end of the run, or immediately with the current state", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { url } = await serve(
      textSource(["a", "b"], (index) => (index === 1 ? promise : undefined)),
      { dialects },
    );
    const now = await post(`${url}/words/now`, { text: "x" });
    const run = now.headers.get("runcast-run")!;
    expect(now.status).toBe(203);
    await until(async () => (await (await fetch(`${url}/words/${run}/now`)).text()) === '["a"]');
    const whole = fetch(`${url}/words/${run}/end`);
    resolve();
    const response = await whole;
    expect([response.status, response.headers.get("x-words"), await response.json()]).toEqual([200, "2", ["a", "b"]]);
    const direct = await post(`${url}/words/end`, { text: "x" });
    expect([direct.status, await direct.json()]).toEqual([200, ["a", "b"]]);
  });

  test("is abandoned by closing its connection, which cancels the run unless it should continue", async () => {
    const log = memory();
    const { url } = await serve(silent, { dialects, log });
    const outcomes: (string | undefined)[] = [];
    for (const query of ["", "?keep=1"]) {
      const stop = new AbortController();
      const waiting = fetch(`${url}/words/end${query}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: "x" }),
        signal: stop.signal,
      }).catch(() => {});
      await until(async () => (await log.list({ limit: 9 })).length > outcomes.length);
      const [{ run } = { run: "" }] = await log.list({ limit: 1 });
      stop.abort();
      await waiting;
      if (!query) await until(async () => (await log.info(run))?.endedAt !== undefined);
      else await fetch(`${url}/health`);
      outcomes.push((await log.info(run))?.outcome);
    }
    expect(outcomes).toEqual(["cancelled", undefined]);
  });

  test("a reply may be asynchronous", async () => {
    const { url } = await serve(silent, { dialects });
    expect(await (await fetch(`${url}/words`)).json()).toBe(1);
  });
});

test("a client that counts frames gets the later ones, from any number", async () => {
  const { url } = await serve(textSource(["a", "B", "c"]), { dialects });
  const run = await start(url);
  await ended(url, run);
  const all = ["a", "B", "B!", "c"];
  for (let skip = 0; skip <= all.length; skip++) {
    const response = await fetch(`${url}/words/${run}/stream?skip=${skip}`);
    expect(response.status).toBe(200);
    expect((await framesOf(response)).map(({ data }) => data)).toEqual(all.slice(skip));
  }
  expect(await refusal(await fetch(`${url}/words/${run}/stream?skip=5`))).toMatchObject({ code: "cursor-beyond-end" });
});

describe("a run that continues another", () => {
  /** Records its messages, and works only if asked to. */
  const worker = (asked: Message[][]): Source =>
    async function* ({ messages }): AsyncGenerator<Event> {
      asked.push(messages);
      const last = messages.at(-1)!.content[0];
      if (last?.type !== "text" || last.text !== "work") return;
      yield { type: "step-start", step: "s1" };
      yield { type: "thinking-start", part: "t1" };
      yield { type: "thinking-delta", part: "t1", delta: "hm" };
      yield { type: "thinking-end", part: "t1", meta: { signature: "s" } };
      yield { type: "text-start", part: "p1" };
      yield { type: "text-delta", part: "p1", delta: "I look" };
      yield { type: "tool-start", call: "c1", name: "look", meta: { id: 1 } };
      yield { type: "tool-input-delta", call: "c1", delta: '{"at":' };
      yield { type: "tool-input-delta", call: "c1", delta: '"it"}' };
      yield { type: "tool-input-end", call: "c1" };
      yield { type: "tool-start", call: "c2", name: "fail" };
      yield { type: "tool-input-end", call: "c2", input: { n: 1 } };
      yield { type: "step-end", step: "s1", finish: "tools" };
      yield { type: "tool-execute", call: "c1" };
      yield { type: "tool-execute", call: "c2", input: { n: 2 } };
      yield { type: "agent-start", agent: "a", call: "c1", name: "helper" };
      yield { type: "step-start", agent: "a", step: "s2" };
      yield { type: "text-start", agent: "a", part: "p2" };
      yield { type: "text-delta", agent: "a", part: "p2", delta: "never in the history" };
      yield { type: "text-end", agent: "a", part: "p2" };
      yield { type: "step-end", agent: "a", step: "s2", finish: "stop" };
      yield { type: "agent-end", agent: "a", outcome: "done" };
      yield { type: "tool-end", call: "c2", outcome: "error", error: { code: "no", message: "it broke" } };
      yield { type: "tool-end", call: "c1", outcome: "ok", content: [{ type: "text", text: "x".repeat(100_000) }] };
      yield { type: "step-start", step: "s3" };
      yield { type: "text-start", part: "p3" };
      yield { type: "text-delta", part: "p3", delta: "Found" };
      yield { type: "text-start", part: "p4", replaces: "p3" };
      yield { type: "text-delta", part: "p4", delta: "Found it" };
      yield { type: "text-start", part: "p5", replaces: "p3" };
      yield { type: "text-delta", part: "p5", delta: "!" };
    };
  const answered: Part[][] = [
    [
      { type: "thinking", text: "hm", meta: { signature: "s" } },
      { type: "text", text: "I look" },
      { type: "call", call: "c1", name: "look", input: { at: "it" }, meta: { id: 1 } },
      { type: "call", call: "c2", name: "fail", input: { n: 2 } },
    ],
    [
      { type: "result", call: "c2", name: "fail", content: [{ type: "text", text: "it broke" }], error: true },
      { type: "result", call: "c1", name: "look", content: [{ type: "text", text: "x".repeat(100_000) }] },
    ],
    [
      { type: "text", text: "Found it" },
      { type: "text", text: "!" },
    ],
  ];

  test("gets the other's messages and output, followed by its own messages", async () => {
    const asked: Message[][] = [];
    const { url } = await serve(worker(asked), { dialects });
    const first = (await post(`${url}/words/end`, { text: "work" })).headers.get("runcast-run")!;
    const second = (await post(`${url}/words/end`, { text: "and?", continues: first })).headers.get("runcast-run")!;
    await post(`${url}/words/end`, { text: "so?", continues: second });
    const history = [
      ask("work"),
      ...answered.map((content, index) => ({ role: index === 1 ? "tool" : "assistant", content })),
    ];
    expect(asked[1]).toEqual([...history, ask("and?")]);
    expect(asked[2]).toEqual([...history, ask("and?"), ask("so?")]);
  });

  test("gets the files of the other's messages", async () => {
    const asked: Message[][] = [];
    const { url } = await serve(worker(asked), { dialects });
    const content: Part[] = [
      { type: "file", mediaType: "image/png", data: Buffer.alloc(90_000, 7).toString("base64") },
    ];
    const run = await start(url, { message: undefined, messages: [{ role: "user", content }] });
    await ended(url, run);
    await post(`${url}/words/end`, { text: "and?", continues: run });
    expect(asked[1]).toEqual([{ role: "user", content }, ask("and?")]);
  });

  test("is refused if the other is unknown, dropped or has not ended", async () => {
    const log = memory();
    const { url } = await serve(silent, { dialects, log });
    const open = await start(url);
    const refused = async (continues: string) =>
      await refusal(await post(`${url}/words/end`, { text: "x", continues }));
    expect(await refused("none")).toMatchObject({ status: 404, code: "unknown-run" });
    expect(await refused(open)).toMatchObject({ status: 400, code: "run-open" });
    await post(`${url}/runs/${open}/cancel`, {});
    await log.drop(open);
    expect(await refused(open)).toMatchObject({ status: 404, code: "unknown-run" });
  });
});
