// npm run bench:board [-- --minutes 10] [--runs 10000] [--live 200] [--logs sqlite,redis]: the board of runs in a real
// browser while hundreds of runs are in progress, on every log. The server, the clients that start runs, and the browser
// with its driver are separate processes. Prints the figures; fails if a target is missed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { buildPageIfStale } from "../scripts/build-page.ts";
import { launchChromium } from "./chromium.ts";
import { start } from "./pinned.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import type { LoadAnswers } from "./web/board-load.ts";
import { filterBoard, heapOf, noteOpening, openBoard, readPolls, searchBoard, useBoard } from "./web/board-page.ts";
import type { BoardAnswers } from "./web/board-server.ts";
import { tasksOf } from "./web/measure.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    runs: { type: "string", default: "10000" },
    live: { type: "string", default: "200" },
    logs: { type: "string", default: "memory,redis,postgres,sqlite" },
  },
});
const minutes = Number(values.minutes);
const logs = values.logs.split(",");
const OPEN_MS = 1000;
const TASK_MS = 50;
/** How much the heap may grow, in bytes, between the first and the last third. */
const GROWTH = 2 * 1024 * 1024;
const FILL_MS = 120_000;
const REPEATS = 5;
/** The factor by which the browser is slowed down in one of the measurements. */
const SLOWER = 4;
let isMissed = false;

buildPageIfStale();
console.log(`${values.runs} runs, ${values.live} of them in progress`);
for (const log of logs) await measure(log, log === logs.at(-1));
process.exitCode = isMissed ? 1 : 0;

/** Measures one log. The memory and the tasks of the page do not depend on the log, so they are measured on the last. */
async function measure(log: string, isLast: boolean): Promise<void> {
  const engine = log === "redis" ? await startRedis() : log === "postgres" ? await startPostgres() : undefined;
  if ((log === "redis" || log === "postgres") && !engine) return console.log(`${log}: not installed, not measured`);
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-board-"));
  const url = engine?.url ?? "";
  const env = { BENCH_DIRECTORY: directory, REDIS_URL: url, POSTGRES_URL: url };
  const server = start<BoardAnswers>("web/board-server.ts", { args: [log, values.runs, values.live], core: 0, env });
  const stops = [() => server.stop(), () => engine?.stop(), () => rmSync(directory, { recursive: true, force: true })];
  try {
    const served = await server.ask({ do: "begin" }, FILL_MS);
    const load = start<LoadAnswers>("web/board-load.ts", { args: [served.url, values.live], core: 1 });
    stops.unshift(() => load.stop());
    await load.ask({ do: "begin" }, FILL_MS);
    const browser = await launchChromium();
    stops.unshift(() => browser.close());
    const page = await measureOpening(browser, log, served.url);
    if (isLast && minutes > 0) await measureUse(browser, page);
    report(true, "runs started meanwhile", `${await load.ask({ do: "started" })}`);
  } finally {
    for (const stop of stops) await stop();
  }
}

async function measureOpening(browser: Browser, log: string, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await noteOpening(page);
  const first = await openBoard(page, url);
  // From now on, files of the page come from the cache.
  const again: number[] = [];
  for (let turn = 0; turn < REPEATS; turn++) again.push(await openBoard(page, url));
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  const slow: number[] = [];
  for (let turn = 0; turn < REPEATS; turn++) slow.push(await openBoard(page, url));
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  const filter = await filterBoard(page);
  const search = await searchBoard(page);
  const within = (ms: number, what: string) => report(ms < OPEN_MS, `${log}: ${what}`, `${Math.round(ms)} ms`);
  within(first, "opens for the first time, nothing cached on either side");
  within(middle(again), `opens again, the middle of ${REPEATS} (slowest ${Math.round(Math.max(...again))} ms)`);
  within(middle(slow), `opens in a browser that is ${SLOWER} times slower`);
  within(filter, "filters by state");
  within(search, "finds one of the oldest runs, after the last key");
  return page;
}

async function measureUse(browser: Browser, page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  await browser.startTracing(page, { categories: ["toplevel"] });
  await page.reload();
  await useBoard(page);
  await page.waitForTimeout(30_000);
  const tasks = tasksOf(await browser.stopTracing());
  const heaps: number[] = [];
  for (const end = Date.now() + minutes * 60_000; Date.now() < end;) {
    heaps.push(await heapOf(session));
    await page.waitForTimeout(Math.max(1000, (minutes * 60_000) / 30));
  }
  const polls = await page.evaluate(readPolls);
  const third = Math.max(1, Math.floor(heaps.length / 3));
  const growth = mean(heaps.slice(-third)) - mean(heaps.slice(0, third));
  const own = `${tasks.cpu.p99.toFixed(1)} ms of its own (under ${TASK_MS})`;
  report(tasks.cpu.p99 < TASK_MS, "p99 of tasks of the main thread", `${tasks.p99.toFixed(1)} ms, ${own}`);
  report(true, "longest task", `${tasks.max.toFixed(1)} ms, ${tasks.cpu.max.toFixed(1)} ms of its own`);
  const range = `${mb(heaps[0]!)} to ${mb(heaps.at(-1)!)}, grown by ${mb(growth)} (under ${mb(GROWTH)})`;
  report(growth < GROWTH, `heap over ${minutes} min`, range);
  const size = `${(polls.bytes / polls.count / 1024).toFixed(1)} KB each, p99 ${Math.round(polls.p99)} ms`;
  report(true, "requests for changes", `${polls.count}, ${size}`);
}

function report(isMet: boolean, what: string, figure: string): void {
  isMissed ||= !isMet;
  console.log(`${isMet ? "ok    " : "MISSED"} ${what}: ${figure}`);
}

function middle(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)]!;
}

function mean(all: readonly number[]): number {
  return all.reduce((sum, value) => sum + value, 0) / all.length;
}

function mb(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
