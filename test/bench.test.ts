import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import { listen } from "../bench/listen.ts";
import type { LoadAnswers } from "../bench/load.ts";
import { frameOverhead } from "../bench/measure/frame-overhead.ts";
import { start } from "../bench/pinned.ts";
import { judge } from "../bench/run/judge.ts";
import type { Sample } from "../bench/run/judge.ts";
import { get } from "../bench/server.ts";
import { microseconds } from "../bench/workload.ts";
import { guard } from "../bench/targets.ts";
import type { Row } from "../bench/targets.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A server that sends these pieces, one write each, and the load client's report about it. */
const report = async (
  pieces: readonly string[],
  { expected, stamped = false }: { expected: number; stamped?: boolean },
) => {
  const server = createServer(async (_request, response) => {
    response.writeHead(200);
    for (const piece of pieces) await new Promise((written) => response.write(piece, written));
    response.end();
    response.socket?.end();
  });
  const port = await listen(server);
  const load = start<LoadAnswers>("./load.ts", { core: 0 });
  cleanups.push(
    () => load.stop(),
    () => server.close(),
  );
  const opening = { port, requests: { each: get("/", port) }, streams: 2, expected, stamped, stalled: 0 };
  await load.ask({ do: "open", ...opening } as { do: "open" });
  return load.ask({ do: "finish", timeoutMs: 5000 } as { do: "finish" });
};

test("the load client counts every event of every stream", async () => {
  const { events } = await report(["data: a~\n\n", "data: b~\n\ndata: c~\n\n"], { expected: 3 });
  expect(events).toBe(6);
});

test("missing events are an error", async () => {
  await expect(report(["data: a~\n\n"], { expected: 2 })).rejects.toThrow("got 1 of 2");
});

test("extra events are an error", async () => {
  await expect(report(["data: a~b~c~\n\n"], { expected: 2 })).rejects.toThrow("got 3 of 2");
});

test("emission times are parsed, even if they are split between reads", async () => {
  const stamp = `~${"1".padStart(16, "0")}`;
  const { events, p50 } = await report([stamp.repeat(20_000)], { expected: 20_000, stamped: true });
  expect(events).toBe(40_000);
  expect(p50).toBeGreaterThan(0);
});

test("a growing delay is reported, a constant one is not", async () => {
  const server = createServer((_request, response) => void response.writeHead(200).flushHeaders());
  const port = await listen(server);
  const load = start<LoadAnswers>("./load.ts", { core: 0 });
  cleanups.push(
    () => load.stop(),
    () => server.close(),
  );
  const late = (ms: number) => `~${String(microseconds() - ms * 1000).padStart(16, "0")}`;
  const growthOf = async (delays: readonly number[]) => {
    server.removeAllListeners("request");
    server.on("request", (_request, response) => response.end(delays.map(late).join("")));
    const opening = { requests: { each: get("/", port) }, streams: 1, expected: 8, stamped: true, stalled: 0, port };
    await load.ask({ do: "open", ...opening } as { do: "open" });
    const { growth } = await load.ask({ do: "finish", timeoutMs: 5000 } as { do: "finish" });
    await load.ask({ do: "reset" });
    return growth!;
  };
  expect(Math.abs(await growthOf(Array.from({ length: 8 }, () => 500_000)))).toBeLessThan(1000);
  expect(await growthOf([0, 1, 2, 3, 4, 5, 6, 7].map((index) => index * 100_000))).toBeGreaterThan(500_000_000);
});

test("the length of a token frame is that of its text, not of its chunks", () => {
  const frame = 'id: 1\ndata: {"delta":"a~"}\n\n';
  const chunk = `${frame.length.toString(16)}\r\n${frame}\r\n`;
  expect(frameOverhead(`HTTP/1.1 200 OK\r\n\r\n${chunk}${chunk}`).overhead).toBeCloseTo(
    frame.length / (frame.length - 6),
  );
});

const row: Row = {
  title: "CPU",
  scenario: "100",
  metric: "cpu",
  unit: "s",
  against: "100/raw",
  targets: { "runcast-memory": { atMost: 1 } },
  beats: { ours: "runcast-memory", factors: { "ai-sdk": 2.5 } },
};
const round = (number: number, cpu: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(cpu).map(([variant, figure]) => ({
    round: number,
    scenario: "100",
    variant,
    ms: 1,
    metrics: { cpu: figure },
  }));

test("a figure is compared with the yardstick of its own round", () => {
  const samples = [
    ...round(1, { raw: 10, "raw-again": 10, "runcast-memory": 9, "ai-sdk": 20, hono: 18 }),
    ...round(2, { raw: 20, "raw-again": 20, "runcast-memory": 18, "ai-sdk": 40, hono: 36 }),
  ];
  const { lines, counts, void: reason } = judge(samples, [row], guard);
  const line = (variant: string) => lines.find((line) => line.variant === variant);
  expect(line("runcast-memory")).toMatchObject({ ratio: 0.9, verdict: "ok" });
  expect(line("hono")).toMatchObject({ verdict: "ok" });
  expect(line("ai-sdk")).toMatchObject({ verdict: "MISS" });
  expect(counts).toEqual({ met: 2, missed: 1, unmeasured: 0, errors: 0 });
  expect(reason).toBeUndefined();
});

test("a target with an allowance over the yardstick is judged by the difference", () => {
  const targets = {
    "runcast-memory": { atMost: 1, of: "excess" },
    "runcast-sqlite": { atMost: 1, of: "excess" },
  } as const;
  const samples = round(1, { raw: 10, "raw-again": 10, "runcast-memory": 10.5, "runcast-sqlite": 12, hono: 11 });
  const { title, scenario, metric, unit, against } = row;
  const shown: Row = {
    title,
    scenario,
    metric,
    unit,
    against: against!,
    targets,
    variants: ["runcast-memory", "runcast-sqlite"],
  };
  const { lines } = judge(samples, [shown], guard);
  expect(lines.map(({ variant, verdict }) => [variant, verdict])).toEqual([
    ["runcast-memory", "ok"],
    ["runcast-sqlite", "MISS"],
  ]);
});

test("a run with inconsistent yardsticks is void", () => {
  expect(judge(round(1, { raw: 10, "raw-again": 12 }), [row], guard).void).toContain("1.20");
});

test("a target without a figure is not met", () => {
  const { counts } = judge(round(1, { raw: 10, "raw-again": 10 }), [row], guard);
  expect(counts).toEqual({ met: 0, missed: 0, unmeasured: 1, errors: 0 });
});

test("our errors count, and a peer's errors are only shown", () => {
  const samples: Sample[] = [
    ...round(1, { raw: 10 }),
    { round: 1, scenario: "100", variant: "runcast-memory", ms: 1, error: "a stream got 1 of 2 events" },
    { round: 1, scenario: "100", variant: "hono", ms: 1, error: "a stream got 1 of 2 events" },
  ];
  const { lines, counts } = judge(samples, [row], guard);
  expect(counts.errors).toBe(1);
  expect(lines.filter(({ error }) => error)).toHaveLength(2);
});
