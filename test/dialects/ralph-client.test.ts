import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { studyCompanion } from "../../examples/study-companion/agent.ts";
import { native } from "../../src/dialects/native.ts";
import { ralph } from "../../src/dialects/ralph.ts";
import type { Entry } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import { problemText } from "../../src/dialects/frames/problem-text.ts";
import { Refusal, type Source } from "../../src/source.ts";
import { post, textSource, serve, until } from "../serving.ts";
import { dataLines, entriesOf, goldenRuns } from "./dialect-frames.ts";
import { endingOf } from "./ending.ts";

const dialects = [native, ralph];

interface Shown {
  text: string;
  readonly blocks: { id: string; name: string; args: unknown; result: string }[];
  readonly pending: Map<string, unknown>;
  status: { text: string; done: boolean };
}

/** A client of the family: its parser reads lines and skips unknown types. */
const show = async (response: Response, onShown: (shown: Shown) => void = () => {}): Promise<Shown> => {
  const shown: Shown = { text: "", blocks: [], pending: new Map(), status: { text: "", done: false } };
  for await (const data of dataLines(response)) {
    handle(shown, data);
    onShown(shown);
  }
  return shown;
};

const handle = (shown: Shown, data: string): void => {
  const received = JSON.parse(data) as Record<string, any>;
  const { tool_call_id: id, tool_name: name, tool_args: args } = received;
  switch (received["type"]) {
    case "status":
      shown.status = { text: received["content"], done: false };
      return;
    case "message":
      shown.text += received["content"];
      return;
    case "tool_call_start":
      shown.pending.set(id, args);
      shown.status = { text: `Running ${name}...`, done: false };
      return;
    case "tool_call_complete":
      return block(shown, { id, name, args, result: received["result"] });
    case "tool_call_error":
      return block(shown, { id, name, args: shown.pending.get(id) ?? args, result: `Error: ${received["error"]}` });
    case "done":
      shown.status = { text: "Complete", done: true };
      return;
    case "error":
      // The family's pipe does not change the status.
      shown.text += `Error: ${received["message"]}`;
  }
};

/** A block is appended to the text, and rendered only if it starts a line there. */
const block = (shown: Shown, drawn: Shown["blocks"][number]): void => {
  shown.pending.delete(drawn.id);
  if (shown.text === "" || shown.text.endsWith("\n")) shown.blocks.push(drawn);
  shown.text += `<block ${drawn.id}>\n`;
};

/** The shown text, without the blocks in it. */
const wordsOf = ({ text }: Shown): string => text.replaceAll(/<block [^>]*>\n/g, "");

const ask = (url: string, content: string, init: RequestInit = {}) =>
  fetch(`${url}/chat/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user_id: "u", chat_id: "t", messages: [{ role: "user", content }] }),
    ...init,
  });

/** What a reader of the log must see. */
const expected = (entries: readonly Entry[]) => {
  const events = entries.map(({ event }) => event);
  const words = events.map((event) => (event.type === "text-delta" && event.agent === undefined ? event.delta : ""));
  const names = new Map(events.flatMap((event) => (event.type === "tool-start" ? [[event.call, event.name]] : [])));
  const ended = events.flatMap((event) => (event.type === "tool-end" && event.outcome !== "deferred" ? [event] : []));
  const end = events.at(-1)!;
  return {
    text: words.join("").replaceAll(/\s+/g, ""),
    blocks: ended.map(({ call, outcome, content = [] }) => {
      const [only, ...more] = content;
      const text = outcome === "ok" && only?.type === "text" && more.length === 0 ? only.text : undefined;
      return {
        ...{ id: call, name: names.get(call), failed: outcome !== "ok" },
        ...(text !== undefined && {
          result: [...text].length > 2000 ? `${[...text].slice(0, 2000).join("")}...` : text,
        }),
      };
    }),
    error: end.type === "run-end" ? end.error : undefined,
  };
};

const expectShown = (shown: Shown, entries: readonly Entry[]): void => {
  const { text, blocks, error } = expected(entries);
  const words = wordsOf(shown);
  const note = error ? problemText(error) : endingOf(entries).note;
  const failure = note && `Error: ${note}`;
  expect(words.replaceAll(/\s+/g, "")).toBe(text + (failure ?? "").replaceAll(/\s+/g, ""));
  if (failure !== undefined) expect(words.endsWith(text === "" ? failure : `\n\n${failure}`)).toBe(true);
  expect(
    shown.blocks.map(({ id, name, result }) => ({ id, name, result, failed: result.startsWith("Error: ") })),
  ).toMatchObject(blocks);
  expect(shown.pending.size).toBe(0);
  expect(shown.status).toEqual({ text: "Complete", done: true });
};

describe.each(goldenRuns)("%s", (_, entries) => {
  test("is shown correctly", async () => {
    const log = memory();
    const first = entries[0]!.event;
    const run = first.type === "run-start" ? first.run : "";
    await log.append(run, entries);
    const { url } = await serve(textSource([]), { dialects, log });
    const events = `${url}/runs/${run}/events?dialect=ralph`;
    const shown = await show(await fetch(events));
    expect(await show(await fetch(events, { headers: { "runcast-extensions": "1" } }))).toEqual(shown);
    expectShown(shown, entries);
  });
});

test("the demo works with the family's requests, by its name and without one", async () => {
  const { url } = await serve(demoAgent({ speed: Infinity }), { dialects });
  for (const base of [`${url}/ralph`, `${url}/ralph/test`]) {
    const response = await ask(base, "Start three sub-agents in parallel");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const shown = await show(response);
    const entries = await entriesOf(url, response);
    expect(entries.filter(({ event }) => event.type === "agent-start")).toHaveLength(3);
    expectShown(shown, entries);
  }
});

describe("the student's profile over HTTP", () => {
  const PROFILE = '[{"label": "student", "title": "Student Profile"}]';
  const first = { tool_name: "list_memory_blocks", tool_args: {} };
  const second = { tool_name: "read_memory_block", tool_args: { label: "student" } };
  const GOLDEN = [
    { type: "status", content: "Thinking..." },
    { type: "message", content: "Let me check your " },
    { type: "message", content: "student profile." },
    { type: "tool_call_start", ...first },
    { type: "tool_call_complete", ...first, result: PROFILE },
    { type: "tool_call_start", ...second },
    { type: "tool_call_complete", ...second, result: "## About Me\n\nI'm studying CS..." },
    { type: "message", content: "Your student profile " },
    { type: "message", content: "shows that you're studying CS..." },
    { type: "done" },
  ];
  const framesFor = async (headers: Record<string, string> = {}): Promise<Record<string, unknown>[]> => {
    const workspace = await mkdtemp(path.join(tmpdir(), "runcast-study-"));
    onTestFinished(() => rm(workspace, { recursive: true }));
    const { url } = await serve(studyCompanion({ workspace, speed: Infinity }), { dialects });
    const response = await ask(`${url}/ralph`, "What's in my student profile?", {
      headers: { "content-type": "application/json", ...headers },
    });
    return (await Array.fromAsync(dataLines(response))).map((data) => JSON.parse(data) as Record<string, unknown>);
  };

  test("the strict style equals the family's golden stream, frame by frame", async () => {
    const frames = await framesFor({ "runcast-style": "strict" });
    expect(frames).toHaveLength(GOLDEN.length);
    expect(frames).toMatchObject(GOLDEN);
    const ids = frames.flatMap(({ tool_call_id: id }) => id ?? []);
    expect([ids[0], ids[2]]).toEqual([ids[1], ids[3]]);
    expect(new Set(ids).size).toBe(2);
  });

  test("other styles add only the line break and the statuses that the family's pipe needs", async () => {
    const thinking = { type: "status", content: "Thinking..." };
    expect(await framesFor()).toMatchObject([
      ...GOLDEN.slice(0, 3),
      { type: "message", content: "\n\n" },
      ...GOLDEN.slice(3, 5),
      thinking,
      ...GOLDEN.slice(5, 7),
      thinking,
      ...GOLDEN.slice(7),
    ]);
  });
});

test("a request reaches the agent with its user, its chat and its whole history", async () => {
  const seen: unknown[] = [];
  const source: Source = async function* (request) {
    seen.push(request);
    yield { type: "status", text: "here" };
  };
  const { url } = await serve(source, { dialects });
  await show(await ask(`${url}/ralph`, "hello"));
  expect(seen).toMatchObject([{ user: { id: "u" }, thread: "t", messages: [{ role: "user" }] }]);
});

test("a result of a megabyte is truncated to its first 2000 characters", async () => {
  const source: Source = async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "tool-start", call: "c", name: "read" };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "tool-execute", call: "c" };
    yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: "z".repeat(1_000_000) }] };
  };
  const { url } = await serve(source, { dialects });
  const shown = await show(await ask(`${url}/ralph`, "read"));
  expect(shown.blocks).toEqual([{ id: "c", name: "read", args: {}, result: `${"z".repeat(2000)}...` }]);
});

test("an error in the middle of a stream is shown after the text so far", async () => {
  const source: Source = async function* (request, context) {
    yield* textSource(["Half an ans"])(request, context);
    throw new Error("the model is gone");
  };
  const { url } = await serve(source, { dialects });
  const shown = await show(await ask(`${url}/ralph`, "hi"));
  expect(shown.text).toBe("Half an ans\n\nError: the model is gone");
  expect(shown.status.done).toBe(true);
});

test("closing the connection stops the run", async () => {
  const log = memory();
  const source: Source = async function* (request, context) {
    yield* textSource(["Working"])(request, context);
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  };
  const { url } = await serve(source, { dialects, log });
  const stop = new AbortController();
  const response = await ask(`${url}/ralph`, "hi", { signal: stop.signal });
  const run = response.headers.get("runcast-run")!;
  const watched = show(response, ({ text }) => text === "Working" && stop.abort());
  await expect(watched).rejects.toThrow();
  await until(async () => (await log.info(run))?.outcome !== undefined);
  expect((await log.info(run))?.outcome).toBe("cancelled");
});

test("a missing provider key is reported in the stream, a missing key of ours by the status", async () => {
  const source: Source = () => {
    throw new Refusal("model-key-missing", "The model acme/m needs a key.", { status: 401, hint: "Set ACME_API_KEY." });
  };
  const open = await serve(source, { dialects });
  const { text } = await show(await ask(`${open.url}/ralph`, "hi"));
  expect(text).toBe("Error: The model acme/m needs a key. Set ACME_API_KEY.");
  const closed = await serve(source, { dialects, key: "the-key-of-this-server" });
  expect((await ask(`${closed.url}/ralph`, "hi")).status).toBe(401);
  const small = await serve(source, { dialects, limits: { bodyBytes: 10 } });
  expect((await ask(`${small.url}/ralph`, "hi")).status).toBe(413);
});

test("health, and refusals that its clients show", async () => {
  const { url } = await serve(textSource([]), { dialects });
  for (const base of [`${url}/ralph`, `${url}/ralph/test`])
    expect(await (await fetch(`${base}/health`)).json()).toEqual({ status: "ok", service: "runcast" });
  const bad = await show(await post(`${url}/ralph/chat/stream`, { messages: "hi" }));
  expect(bad.text).toMatch(/^Error: the field messages is invalid/);
  const unknown = await show(await ask(`${url}/ralph/nobody`, "hi"));
  expect(unknown.text).toBe("Error: there is no agent nobody (available agents: test)");
  for (const { status } of [bad, unknown]) expect(status).toEqual({ text: "Complete", done: true });
  const asExtended = { "content-type": "application/json", "runcast-extensions": "1" };
  const plain = await ask(`${url}/ralph/nobody`, "hi", { headers: asExtended });
  expect([plain.status, await plain.json()]).toEqual([404, { detail: expect.stringContaining("nobody") }]);
});
