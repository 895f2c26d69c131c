import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { sqlite } from "../src/logs/sqlite.ts";
import { countRefusal, createEventCounter, createMetrics } from "../src/server/metrics.ts";
import { Histogram } from "../src/server/histogram.ts";
import type { Source } from "../src/source.ts";
import { ended, onStop, serve, start, until } from "./serving.ts";

const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();
const value = (text: string, sample: string): number | undefined => {
  const line = text.split("\n").find((other) => other.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
};

test("runs by state, retries, calls, and tokens and costs by model are counted", async () => {
  const gate = Promise.withResolvers<void>();
  const source: Source = async function* (_, { answerTo }) {
    yield { type: "step-start", step: "s", model: "m" };
    yield { type: "step-retry", step: "s", attempt: 2, wait: 1, error: { code: "busy", message: "busy" } };
    yield { type: "tool-start", call: "c", name: "t" };
    yield { type: "tool-input-end", call: "c", input: {} };
    yield { type: "step-end", step: "s", finish: "tools", usage: { input: 30, output: 12, cost: 0.25 } };
    yield { type: "tool-execute", call: "c" };
    yield { type: "ask-start", ask: "a", kind: "input", call: "c" };
    await Promise.race([gate.promise, answerTo("a")]);
    yield { type: "ask-end", ask: "a", outcome: "answered", answer: { value: 1 } };
    yield { type: "tool-end", call: "c", outcome: "ok" };
  };
  const { url } = await serve(source, { limits: { concurrentRuns: 1 } });
  const [first] = [await start(url), await start(url)];
  await until(async () => value(await metricsOf(url), 'runcast_runs{state="person"}') === 1);
  const text = await metricsOf(url);
  expect(value(text, "runcast_runs_active")).toBe(2);
  expect(value(text, 'runcast_runs{state="queued"}')).toBe(1);
  expect(value(text, 'runcast_runs{state="other"}')).toBe(0);
  expect(value(text, "runcast_step_retries_total")).toBe(1);
  expect(value(text, 'runcast_tokens_total{model="m",type="input"}')).toBe(30);
  expect(value(text, 'runcast_tokens_total{model="m",type="output"}')).toBe(12);
  expect(value(text, 'runcast_cost_dollars_total{model="m"}')).toBe(0.25);
  expect(text).not.toContain('type="cost"');
  gate.resolve();
  await ended(url, first!);
  await until(async () => value(await metricsOf(url), 'runcast_calls_total{outcome="ok"}') === 2);
});

test("the time to store and to deliver events is measured", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-metrics-"));
  const log = sqlite({ directory });
  onStop(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });
  const gates = { start: Promise.withResolvers<void>(), end: Promise.withResolvers<void>() };
  const source: Source = async function* () {
    yield { type: "status", text: "waiting" };
    await gates.start.promise;
    yield { type: "step-start", step: "s" };
    await gates.end.promise;
  };
  const { url } = await serve(source, { log });
  const stream = await fetch(`${url}/runs/${await start(url)}/events`);
  let seen = "";
  for await (const bytes of stream.body!) {
    seen += Buffer.from(bytes).toString();
    // This viewer has caught up, so it gets the next event live.
    if (seen.includes('"waiting"')) gates.start.resolve();
    if (seen.includes("step-start")) gates.end.resolve();
  }
  const text = await metricsOf(url);
  expect(value(text, "runcast_append_seconds_count")).toBeGreaterThan(0);
  expect(value(text, 'runcast_append_seconds_bucket{le="+Inf"}')).toBe(value(text, "runcast_append_seconds_count"));
  expect(value(text, "runcast_viewers_behind")).toBe(0);
  expect(text).toContain("# TYPE runcast_delivery_seconds histogram");
  expect(value(text, "runcast_delivery_seconds_count")).toBeGreaterThan(0);
});

test("a histogram counts each value in every bucket that contains it", () => {
  const histogram = new Histogram();
  for (const seconds of [0.0005, 0.02, 100]) histogram.observe(seconds);
  const samples = new Map(histogram.samples());
  expect(samples.get('_bucket{le="0.001"}')).toBe(1);
  expect(samples.get('_bucket{le="0.025"}')).toBe(2);
  expect(samples.get('_bucket{le="10"}')).toBe(2);
  expect(samples.get('_bucket{le="+Inf"}')).toBe(3);
  expect(samples.get("_sum")).toBe(100.0205);
});

test("names chosen by others are limited and cannot break the format", () => {
  const metrics = createMetrics();
  for (let count = 0; count < 1000; count++) countRefusal(metrics, 400, `code-${count}`);
  expect(metrics.refusals.size).toBeLessThan(210);
  const usage = { input: 1 };
  const run = {
    run: "r",
    request: { messages: [], model: 'a"b\\c\nd' },
    agent: { name: "a", source: async function* () {} },
  };
  const count = createEventCounter(metrics);
  count(run, { type: "step-end", step: "s", finish: "stop", usage });
  expect([...metrics.tokens.keys()]).toEqual(['{model="a\\"b\\\\c d",type="input"}']);
  for (let index = 0; index < 1000; index++) {
    const request = { messages: [], model: `model-${index}` };
    count({ ...run, request }, { type: "step-end", step: "s", finish: "stop", usage: { ...usage, cost: 1 } });
  }
  for (const counts of [metrics.tokens, metrics.cost]) {
    expect(counts.size).toBeLessThan(210);
    expect([...counts.values()].reduce((sum, value) => sum + value, 0)).toBeGreaterThanOrEqual(1000);
  }
});
