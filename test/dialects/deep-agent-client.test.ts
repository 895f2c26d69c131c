import { describe, expect, test } from "vitest";
import { deepAgent } from "../../src/dialects/deep-agent.ts";
import { native } from "../../src/dialects/native.ts";
import type { Entry } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import { problemText } from "../../src/dialects/frames/problem-text.ts";
import type { Source } from "../../src/source.ts";
import { post, textSource, serve, until } from "../serving.ts";
import { dataLines, entriesOf, goldenRuns } from "./dialect-frames.ts";
import { endingOf } from "./ending.ts";

const dialects = [native, deepAgent];

interface Shown {
  text: string;
  /** The text streamed by sub-agents, by agent id. */
  readonly inside: Record<string, string>;
  readonly sources: { id: string; name: string; document: string }[];
  readonly agents: Set<string>;
  readonly bar: { description: string; done: boolean }[];
}

/** A client of the family: it reads only `data:` lines and skips unknown types. */
const show = async (response: Response, onShown: (shown: Shown) => void = () => {}): Promise<Shown> => {
  const shown: Shown = { text: "", inside: {}, sources: [], agents: new Set(), bar: [] };
  for await (const data of dataLines(response)) {
    handle(shown, data);
    onShown(shown);
  }
  return shown;
};

const handle = (shown: Shown, line: string): void => {
  const { type, data } = JSON.parse(line) as { type: string; data: Record<string, any> };
  const bar = (description: string, done = false) => void shown.bar.push({ description, done });
  switch (type) {
    case "status":
      return bar(data["description"]);
    case "tool_start":
      return bar(`🔧 ${data["name"]}...`);
    case "tool_end":
      return void shown.sources.push({ id: data["tool_id"], name: data["name"], document: data["result"] });
    case "token": {
      const { content, agent_depth: depth, agent_id: agent } = data;
      if (depth === 0) shown.text += content;
      else shown.inside[agent] = (shown.inside[agent] ?? "") + content;
      return;
    }
    case "agent_start":
      shown.agents.add(data["agent_id"]);
      return bar(`🤖 Sub-agent: ${data["name"]}...`);
    case "agent_end":
      shown.agents.delete(data["agent_id"]);
      return bar("Sub-agent completed", true);
    case "done":
      return bar("Complete", true);
  }
};

const ask = (url: string, content: string, init: RequestInit = {}) =>
  fetch(`${url}/chat/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content }], stream: true }),
    ...init,
  });

/** What a reader of the log must see. */
const expected = (entries: readonly Entry[]) => {
  const events = entries.map(({ event }) => event);
  const inside: Record<string, string> = {};
  let text = "";
  let step = "";
  let last = "";
  for (const event of events)
    if (event.type === "step-start" && event.agent === undefined) step = event.step;
    else if (event.type === "text-delta" && event.agent === undefined) {
      // Text of another step starts a paragraph.
      text += last !== "" && last !== step ? `\n\n${event.delta}` : event.delta;
      last = step;
    } else if (event.type === "text-delta") inside[event.agent!] = (inside[event.agent!] ?? "") + event.delta;
  const names = new Map(events.flatMap((event) => (event.type === "tool-start" ? [[event.call, event.name]] : [])));
  const ended = events.flatMap((event) => (event.type === "tool-end" ? [event] : []));
  const end = events.at(-1)!;
  return {
    text,
    inside,
    sources: ended.map(({ call, outcome, content = [] }) => {
      const [only, ...more] = content;
      return {
        ...{ id: call, name: names.get(call), failed: outcome !== "ok" && outcome !== "deferred" },
        ...(outcome === "ok" && only?.type === "text" && more.length === 0 && { document: only.text }),
      };
    }),
    error: end.type === "run-end" ? end.error : undefined,
  };
};

const expectShown = (shown: Shown, entries: readonly Entry[]): void => {
  const { text, inside, sources, error } = expected(entries);
  const note = error ? `Error: ${problemText(error)}` : endingOf(entries).note;
  expect(shown.text).toBe([text, note].filter(Boolean).join("\n\n"));
  expect(shown.inside).toEqual(inside);
  expect(
    shown.sources.map(({ id, name, document }) => ({ id, name, document, failed: document.startsWith("Error: ") })),
  ).toMatchObject(sources);
  expect(shown.sources.filter(({ document }) => document === "")).toEqual([]);
  expect(shown.agents.size).toBe(0);
  expect(shown.bar.at(-1)).toEqual({ description: "Complete", done: true });
  if (note) expect(shown.bar.at(-2)!.description).toBe(note);
};

describe.each(goldenRuns)("%s", (_, entries) => {
  test("is shown correctly", async () => {
    const log = memory();
    const first = entries[0]!.event;
    const run = first.type === "run-start" ? first.run : "";
    await log.append(run, entries);
    const { url } = await serve(textSource([]), { dialects, log });
    const events = `${url}/runs/${run}/events?dialect=deep-agent`;
    const shown = await show(await fetch(events));
    expect(await show(await fetch(events, { headers: { "runcast-extensions": "1" } }))).toEqual(shown);
    expectShown(shown, entries);
  });
});

test("the demo works with the family's requests, by its name and without one", async () => {
  const demo = demoAgent({ speed: Infinity });
  const { url } = await serve(demo, { dialects, agents: { demo } });
  for (const base of [`${url}/deep-agent`, `${url}/deep-agent/demo`]) {
    const response = await ask(base, "Start three sub-agents in parallel");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const shown = await show(response);
    const entries = await entriesOf(url, response);
    expect(entries.filter(({ event }) => event.type === "agent-start")).toHaveLength(3);
    expectShown(shown, entries);
    expect(shown.bar[0]).toEqual({ description: "Starting demo...", done: false });
  }
});

test("a result of a megabyte is shown completely", async () => {
  const text = "é".repeat(500_000);
  const source: Source = async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "tool-start", call: "c", name: "read" };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "tool-execute", call: "c" };
    yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text }] };
  };
  const { url } = await serve(source, { dialects });
  const { sources } = await show(await ask(`${url}/deep-agent`, "read"));
  expect(sources.map(({ id, name }) => [id, name])).toEqual([["c", "read"]]);
  expect(sources[0]!.document === text).toBe(true);
});

test("an error in the middle of a stream is shown after the text so far", async () => {
  const source: Source = async function* (request, context) {
    yield* textSource(["Half an ans"])(request, context);
    throw new Error("the model is gone");
  };
  const { url } = await serve(source, { dialects });
  const shown = await show(await ask(`${url}/deep-agent`, "hi"));
  expect(shown.text).toBe("Half an ans\n\nError: the model is gone");
  expect(shown.bar.at(-1)!.done).toBe(true);
});

test("closing the connection stops the run", async () => {
  const log = memory();
  const source: Source = async function* (request, context) {
    yield* textSource(["Working"])(request, context);
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  };
  const { url } = await serve(source, { dialects, log });
  const stop = new AbortController();
  const response = await ask(`${url}/deep-agent`, "hi", { signal: stop.signal });
  const run = response.headers.get("runcast-run")!;
  const watched = show(response, ({ text }) => text === "Working" && stop.abort());
  await expect(watched).rejects.toThrow();
  await until(async () => (await log.info(run))?.outcome !== undefined);
  expect((await log.info(run))?.outcome).toBe("cancelled");
});

test("health, and refusals that its clients show", async () => {
  const { url } = await serve(textSource([]), { dialects });
  for (const base of [`${url}/deep-agent`, `${url}/deep-agent/test`])
    expect(await (await fetch(`${base}/health`)).json()).toEqual({ status: "ok", service: "runcast" });
  const wrong = { messages: [{ role: "tool", content: "x" }] };
  const bad = await show(await post(`${url}/deep-agent/chat/stream`, wrong));
  expect(bad.text).toMatch(/^Error: the field messages\.0\.role is invalid/);
  const unknown = await show(await ask(`${url}/deep-agent/nobody`, "hi"));
  expect(unknown.text).toBe("Error: there is no agent nobody (available agents: test)");
  const whole = await post(`${url}/deep-agent/chat`, wrong);
  expect([whole.status, await whole.json()]).toEqual([422, { detail: expect.stringContaining("messages.0.role") }]);
});

test("a single response without a stream, and a failure as a failure", async () => {
  const { url } = await serve(textSource(["Hello", " there."]), { dialects });
  const messages = [{ role: "user", content: "hi" }];
  const answer = await post(`${url}/deep-agent/chat`, { messages });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { message: { role: "assistant", content: "Hello there." } },
  ]);
  const failing: Source = async function* () {
    yield { type: "step-start", step: "s" };
    throw new Error("the model is gone");
  };
  const broken = await serve(failing, { dialects });
  const failed = await post(`${broken.url}/deep-agent/chat`, { messages });
  expect([failed.status, await failed.json()]).toEqual([500, { detail: expect.stringContaining("the model is gone") }]);
});
