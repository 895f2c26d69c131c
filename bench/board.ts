// npm run bench:board [-- --minutes 10] [--runs 10000] [--live 200]: the board of runs in a real browser while hundreds of runs
// are at work. Prints the figures; fails if a target is missed.
import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import { buildPageIfStale } from "../scripts/build-page.ts";
import { launchChromium } from "./chromium.ts";
import { start } from "./pinned.ts";
import type { BoardAnswers } from "./web/board-server.ts";
import { tasksOf } from "./web/measure.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    runs: { type: "string", default: "10000" },
    live: { type: "string", default: "200" },
  },
});
const [minutes, runs, live] = [Number(values.minutes), Number(values.runs), Number(values.live)];
const OPEN_MS = 1000;
const TASK_MS = 50;
/** What the heap may grow by, in bytes, between the first and the last third. */
const GROWTH = 2 * 1024 * 1024;
const FILL_MS = 120_000;
process.exitCode = await main();

async function main(): Promise<number> {
  buildPageIfStale();
  const server = start<BoardAnswers>("web/board-server.ts", { args: [values.runs, values.live], core: 0 });
  const { url } = await server.ask({ do: "begin" }, FILL_MS).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const shown = await context.newPage();
    const session = await context.newCDPSession(shown);
    await session.send("HeapProfiler.enable");
    const opened = await openBoard(shown, url);
    await shown.getByText(/\d+ working/).waitFor();
    await browser.startTracing(shown, { categories: ["toplevel"] });
    await use(shown);
    await shown.waitForTimeout(30_000);
    const tasks = tasksOf(await browser.stopTracing());
    const heaps: number[] = [];
    for (const end = Date.now() + minutes * 60_000; Date.now() < end;) {
      heaps.push(await heapOf(session));
      await shown.waitForTimeout(Math.max(1000, (minutes * 60_000) / 30));
    }
    const polls = await shown.evaluate(readPolls);
    const third = Math.max(1, Math.floor(heaps.length / 3));
    const growth = mean(heaps.slice(-third)) - mean(heaps.slice(0, third));
    const rows = await shown.getByRole("listitem").first().getAttribute("aria-setsize");
    const checks: readonly (readonly [what: string, shown: string, isMet: boolean])[] = [
      [`opens with ${runs} runs, ${live} at work`, `${Math.round(opened)} ms (under ${OPEN_MS})`, opened < OPEN_MS],
      [
        "p99 of tasks of the main thread",
        `${tasks.p99.toFixed(1)} ms, ${tasks.cpu.p99.toFixed(1)} ms of its own (under ${TASK_MS})`,
        tasks.cpu.p99 < TASK_MS,
      ],
      ["longest task", `${tasks.max.toFixed(1)} ms, ${tasks.cpu.max.toFixed(1)} ms of its own`, true],
      [
        `heap over ${minutes} min`,
        `${mb(heaps[0]!)} to ${mb(heaps.at(-1)!)}, grown by ${mb(growth)} (under ${mb(GROWTH)})`,
        growth < GROWTH,
      ],
      [
        "requests for changes",
        `${polls.count}, ${Math.round(polls.bytes / polls.count / 1024)} KB each, p99 ${Math.round(polls.p99)} ms`,
        true,
      ],
      ["rows in the list, and runs begun meanwhile", `${rows}, ${await server.ask({ do: "begun" })}`, true],
    ];
    for (const [what, figure, isMet] of checks) console.log(`${isMet ? "ok    " : "MISSED"} ${what}: ${figure}`);
    return checks.every(([, , isMet]) => isMet) ? 0 : 1;
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** From the beginning of the navigation until the rows are painted, in milliseconds. */
async function openBoard(page: Page, url: string): Promise<number> {
  // Files of the page come from the cache, as they do for whoever uses it every day.
  await page.goto(`${url}/?board=1`);
  await page.locator("[data-row]").nth(10).waitFor();
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelectorAll("[data-row]").length < 10) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => Object.assign(window, { shownAt: performance.now() })));
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await page.waitForFunction(() => "shownAt" in window);
  return await page.evaluate(() => (window as unknown as { shownAt: number }).shownAt);
}

/** What a person does: scrolls far down and back, searches, filters, and looks at all of them again. */
async function use(page: Page): Promise<void> {
  const box = page.getByRole("list", { name: "Runs" }).locator("..");
  for (let turn = 0; turn < 40; turn++) {
    await box.evaluate((element) => element.scrollBy(0, 3000));
    await page.waitForTimeout(100);
  }
  await box.evaluate((element) => element.scrollTo(0, 0));
  await page.getByLabel("Search runs").fill("week 17");
  await page
    .getByRole("link", { name: /week 17/ })
    .first()
    .waitFor();
  await page.getByLabel("Search runs").fill("");
  for (const state of ["waiting", "open", "error", ""]) {
    await page.getByLabel("State").selectOption(state);
    await page.waitForTimeout(1500);
  }
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}

/** Runs in the page. */
function readPolls(): { count: number; bytes: number; p99: number } {
  const polls = (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter(({ name }) =>
    new URL(name).pathname.endsWith("/changes"),
  );
  const took = polls.map(({ duration }) => duration).sort((one, other) => one - other);
  const bytes = polls.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  return { count: polls.length, bytes, p99: took[Math.floor(took.length * 0.99)] ?? 0 };
}

function mean(all: readonly number[]): number {
  return all.reduce((sum, value) => sum + value, 0) / all.length;
}

function mb(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
