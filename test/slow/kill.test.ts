import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Entry, Event } from "../../src/events.ts";
import { createState, fold, snapshot } from "../../src/state.ts";
import { verify } from "../../src/verify.ts";
import { busyEvents } from "../fixtures/busy-source.ts";
import { randomFrom } from "../random.ts";

const KILLS = process.env.RUNCAST_LONG === "1" ? 50 : 6;
const killSeed = Number(process.env.RUNCAST_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`the server is killed after a random entry, RUNCAST_SEED=${killSeed}`);
const fixture = path.join(import.meta.dirname, "../fixtures/busy-server.ts");

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const startServer = (directory: string, port: number): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fixture, directory, `${port}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout!.once("data", () => resolve(child));
    child.once("exit", (code) => reject(new Error(`the server exited with ${code}`)));
  });

const kill = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });

const states = (entries: readonly Entry[]) => {
  const state = createState();
  for (const entry of entries) fold(state, entry);
  return snapshot(state);
};

test(
  `${KILLS} kills of the server: nothing lost, nothing duplicated, everything open is closed as interrupted`,
  { timeout: KILLS * 20_000 },
  async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "runcast-kill-"));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const random = randomFrom(killSeed);
    const hit = { calls: 0, asks: 0, agents: 0, kills: 0, entries: 0 };
    let server = await startServer(directory, port);
    try {
      for (let round = 0; round < KILLS; round++) {
        const seed = 1000 + round;
        const expected = busyEvents(seed);
        const seen: Entry[] = [];
        const after = 8 + Math.floor(random() * Math.max(1, expected.length - 16));
        const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
        const client = createClient({ url, backoff: () => 20 });
        const run = client.start(
          { message: `${seed}` },
          { onEntry: (entry) => (seen.push(entry), seen.length >= after && reach()) },
        );
        await reached;
        await kill(server);
        const seenBefore = [...seen];
        server = await startServer(directory, port);
        const state = await run.finished;

        expect(state.outcome).toBe("interrupted");
        expect(seen.slice(0, seenBefore.length)).toEqual(seenBefore);
        expect(verify(seen)).toBeUndefined();
        const stored = (await (await fetch(`${url}/runs/${run.run}/export.jsonl`)).text())
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as Entry);
        expect(seen).toEqual(stored);
        expect(snapshot(state)).toEqual(states(stored));

        // Up to the kill it equals the uninterrupted run. After it, only open items end.
        const events = seen.map(({ event }) => event).slice(1);
        const cut = events.findIndex((event, index) => JSON.stringify(event) !== JSON.stringify(expected[index]));
        expect(cut).toBeGreaterThanOrEqual(seenBefore.length - 1);
        const closing = events.slice(cut);
        const interrupted = (type: Event["type"]) =>
          closing.filter((event) => event.type === type && "outcome" in event && event.outcome === "interrupted")
            .length;
        for (const event of closing) expect(event.type).toMatch(/-end$/);
        hit.calls += interrupted("tool-end");
        hit.asks += interrupted("ask-end");
        hit.agents += interrupted("agent-end");
        expect(
          [interrupted("tool-end"), interrupted("ask-end"), interrupted("agent-end")].every((count) => count > 0),
        ).toBe(true);
        hit.kills++;
        hit.entries += seen.length;
      }
    } finally {
      await kill(server);
      rmSync(directory, { recursive: true, force: true });
    }
    console.log(
      `${hit.kills} kills hit ${hit.calls} open calls, ${hit.asks} open asks and ${hit.agents} open sub-agents; ${hit.entries} entries compared`,
    );
  },
);
