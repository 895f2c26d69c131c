import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { type Connection, createClient } from "../../src/client.ts";
import { native } from "../../src/dialects/native.ts";
import type { Entry, Event } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import { createServer } from "../../src/server.ts";
import type { Source } from "../../src/source.ts";
import type { PartNode, RunState } from "../../src/state.ts";
import { verify } from "../../src/verify.ts";
import { type Cut, startCuttingProxy } from "../cutting-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Repeated neighbors, multi-byte characters, and text that looks like a frame: input that a careless reader gets wrong. */
const WORDS = ["ha", "ha", "ha", " ", " ", "né", "🙂", "🙂", "\n\n", "data: x\n\n", "id: 3\n", "\u2028", '"}'];

const story = function* (words: number): Generator<Event> {
  yield { type: "step-start", step: "s1" };
  yield { type: "thinking-start", part: "t1" };
  for (const delta of ["so", "so", "…"]) yield { type: "thinking-delta", part: "t1", delta };
  yield { type: "thinking-end", part: "t1" };
  yield { type: "tool-start", call: "c1", name: "look" };
  for (const delta of ['{"a', '":1', "1}"]) yield { type: "tool-input-delta", call: "c1", delta };
  yield { type: "tool-input-end", call: "c1" };
  yield { type: "step-end", step: "s1", finish: "tools" };
  yield { type: "tool-execute", call: "c1" };
  yield { type: "tool-end", call: "c1", outcome: "ok", content: [{ type: "text", text: "found\n" }] };
  yield { type: "step-start", step: "s2" };
  yield { type: "text-start", part: "p1" };
  for (let index = 0; index < words; index++)
    yield { type: "text-delta", part: "p1", delta: WORDS[index % WORDS.length]! };
  yield { type: "text-end", part: "p1" };
  yield { type: "step-end", step: "s2", finish: "stop", usage: { output: words } };
};

const textOf = (words: number) => Array.from({ length: words }, (_, index) => WORDS[index % WORDS.length]).join("");

/** A server whose agent emits the story in small turns, so that streams are cut both during and after the run. */
const serve = async (words: number) => {
  const starts = new Map<string, number>();
  const source: Source = async function* (_, { run }) {
    starts.set(run, (starts.get(run) ?? 0) + 1);
    let turn = 0;
    for (const event of story(words)) {
      yield event;
      if (turn++ % 8 === 0) await setImmediate();
    }
  };
  const log = memory({ maxRuns: 100_000 });
  const limits = { startsPerMinute: 1_000_000, readsPerMinute: 1_000_000 };
  const server = createServer({ agents: { teller: source }, dialects: [native], log, limits });
  const { port, url } = await server.listen();
  closers.push(async () => {
    await server.close();
    await log.close();
  });
  return { port, url, log, starts };
};

const follow = async (url: string) => {
  const client = createClient({ url, backoff: () => 0 });
  const entries: Entry[] = [];
  const seen: Connection["status"][] = [];
  const handle = client.start({ message: "tell" }, { onEntry: (entry) => entries.push(entry) });
  handle.subscribe(({ status }) => seen.at(-1) === status || seen.push(status));
  const state = await handle.finished;
  return { run: handle.run, state, entries, seen };
};

const stored = async (log: Log, run: string) => await log.read(run, 0, 1_000_000);
const textIn = (state: RunState) => (state.nodes.get("p1") as PartNode).text;

const checkWhole = async (followed: Awaited<ReturnType<typeof follow>>, log: Log, words: number) => {
  // Compare as text: comparing thousands of logs node by node would take most of the time.
  expect(JSON.stringify(followed.entries)).toBe(JSON.stringify(await stored(log, followed.run)));
  expect(verify(followed.entries)).toBeUndefined();
  expect(textIn(followed.state)).toBe(textOf(words));
  expect(followed.state.outcome).toBe("done");
  expect(followed.seen.at(-1)).toBe("finished");
};

/** The events without the parts that differ between runs. */
const eventsOf = ({ run, entries }: Awaited<ReturnType<typeof follow>>) =>
  JSON.stringify(entries.map(({ event }) => event)).replaceAll(run, "");

/** Runs several concurrently, because each spends most of its time waiting for the network. */
const forEach = async (count: number, check: (index: number) => Promise<void>) => {
  let next = 0;
  const work = async () => {
    while (next < count) await check(next++);
  };
  await Promise.all(Array.from({ length: 8 }, work));
};

describe("a stream that is cut", () => {
  const words = process.env.RUNCAST_LONG === "1" ? 60 : 14;

  test("a stream cut at any byte is complete again, and its run starts once", { timeout: 600_000 }, async () => {
    const { port, url, log, starts } = await serve(words);
    const uncut = await follow(url);
    await checkWhole(uncut, log, words);
    const length = await lengthOf(port);
    const cuts: Cut[] = ["unreached", ...Array.from({ length }, (_, bytes) => bytes)];
    let reconnected = 0;
    await forEach(cuts.length, async (index) => {
      const cut = cuts[index];
      const proxy = await startCuttingProxy(port, (connection) => (connection === 0 ? cut : undefined));
      try {
        const followed = await follow(proxy.url);
        await checkWhole(followed, log, words);
        expect(starts.get(followed.run), `cut at ${cut}`).toBe(1);
        if (proxy.connections > 1) reconnected++;
        expect(eventsOf(followed)).toBe(eventsOf(uncut));
      } finally {
        await proxy.close();
      }
    });
    // After the last frame come only the bytes that close the response, which the client does not wait for. A response
    // in which more frames share a chunk is shorter by the framing of each chunk saved.
    const spared = 10 + 8 * uncut.entries.length;
    expect(reconnected).toBeGreaterThan(cuts.length - spared);
    console.log(`${cuts.length} cuts of a response of ${length} bytes, ${reconnected} resumed`);
  });

  test("a stream that is cut repeatedly continues where it was", async () => {
    const { port, log, starts } = await serve(200);
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 20; round++) {
      const proxy = await startCuttingProxy(port, () => (random(4) === 0 ? "unreached" : random(1500)));
      const followed = await follow(proxy.url).finally(() => proxy.close());
      await checkWhole(followed, log, 200);
      expect(starts.get(followed.run)).toBe(1);
      expect(followed.seen.filter((status) => status === "reconnecting").length).toBeGreaterThan(0);
    }
  });
});

/** The size of an uncut run's response in bytes. */
const lengthOf = async (port: number): Promise<number> => {
  const proxy = await startCuttingProxy(port);
  try {
    const response = await fetch(`${proxy.url}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ message: "tell", run: "a".repeat(20) }),
    });
    await response.text();
    return proxy.passed[0]!;
  } finally {
    await proxy.close();
  }
};
