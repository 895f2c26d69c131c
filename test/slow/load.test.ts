import { type IncomingMessage, get } from "node:http";
import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { createFrameReader } from "../../src/sse.ts";
import { type LoadServer, openStream, startLoadServer } from "../load-process.ts";

const isLong = process.env.RUNCAST_LONG === "1";
const EVENTS = isLong ? 1_000_000 : 100_000;
const STREAMS = isLong ? 10_000 : 2000;
const MB = 1024 * 1024;

let server: LoadServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
});

const start = async (agent: string, message: string): Promise<string> => {
  const response = await fetch(`${server.url}/runs`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ agent, message }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { run: string }).run;
};

/** Follows a run to its end without storing it, and samples the server's memory. */
const follow = async (run: string): Promise<{ entries: number; peak: number }> => {
  let entries = 0;
  let peak = 0;
  const measures: Promise<void>[] = [];
  const handle = createClient({ url: server.url }).follow(run, {
    onEntry: ({ seq }) => {
      entries++;
      if (seq % (EVENTS / 10) === 0)
        measures.push(server.memory().then(({ used }) => void (peak = Math.max(peak, used))));
    },
  });
  await handle.finished;
  await Promise.all(measures);
  return { entries, peak };
};

describe(`a stalled viewer during ${EVENTS.toLocaleString("en")} events`, { timeout: 600_000 }, () => {
  test("with the SQLite log, memory stays flat, and another viewer gets everything", async () => {
    server = await startLoadServer("sqlite");
    const warm = await follow(await start("flood", `${EVENTS / 10}`));
    expect(warm.entries).toBe(EVENTS / 10 + 6);
    const before = (await server.memory()).used;
    const run = await start("flood", `${EVENTS}`);
    sockets.push(await openStream(server.port, run));
    const { entries, peak } = await follow(run);
    expect(entries).toBe(EVENTS + 6);
    const after = (await server.memory()).used;
    console.log(
      `sqlite: ${(before / MB).toFixed(1)} MB before, peak ${(peak / MB).toFixed(1)}, after ${(after / MB).toFixed(1)}`,
    );
    expect(peak - before).toBeLessThan(24 * MB);
    expect(after - before).toBeLessThan(12 * MB);
  });

  test("with the memory log, it costs no more than the same run without that viewer", async () => {
    const used = async (isStalled: boolean): Promise<number> => {
      server = await startLoadServer("memory");
      const run = await start("flood", `${EVENTS}`);
      if (isStalled) sockets.push(await openStream(server.port, run));
      expect((await follow(run)).entries).toBe(EVENTS + 6);
      const { used: bytes } = await server.memory();
      if (isStalled) return bytes;
      await server.stop();
      return bytes;
    };
    const without = await used(false);
    const stalled = await used(true);
    console.log(`memory: ${(without / MB).toFixed(1)} MB without, ${(stalled / MB).toFixed(1)} with a stalled viewer`);
    expect(stalled - without).toBeLessThan(2 * MB);
  });

  test("a stalled viewer that reads again gets everything too", async () => {
    server = await startLoadServer("sqlite");
    const run = await start("flood", `${EVENTS / 10}`);
    const response = await new Promise<IncomingMessage>((resolve) => get(`${server.url}/runs/${run}/events`, resolve));
    await follow(run);
    let next = 1;
    const reader = createFrameReader(({ id }) => {
      if (id === undefined) return;
      expect(Number(id)).toBe(next);
      next++;
    });
    for await (const bytes of response) reader.push(bytes as Buffer);
    expect(next - 1).toBe(EVENTS / 10 + 6);
  });
});

test(
  `${STREAMS.toLocaleString("en")} idle streams are open at the same time, and each gets the end`,
  { timeout: 300_000 },
  async () => {
    server = await startLoadServer("memory");
    const run = await start("silent", "wait");
    const heard = { head: 0, end: 0 };
    const { promise, resolve } = Promise.withResolvers<void>();
    for (let index = 0; index < STREAMS; index++) {
      const socket = await openStream(server.port, run);
      sockets.push(socket);
      socket.on("data", (bytes: Buffer) => {
        const text = bytes.toString("latin1");
        if (text.includes("200 OK")) heard.head++;
        if (text.includes('"type":"run-end"')) heard.end++;
        if (heard.end === STREAMS) resolve();
      });
      socket.resume();
    }
    while (heard.head < STREAMS) await new Promise((tick) => setTimeout(tick, 20));
    const { rss } = await server.memory();
    console.log(`${STREAMS} idle streams: ${(rss / MB).toFixed(0)} MB resident`);
    await fetch(`${server.url}/runs/${run}/cancel`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    await promise;
    expect(heard).toEqual({ head: STREAMS, end: STREAMS });
  },
);
