import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { gallery } from "../web/gallery.ts";
import { calmRenders, countRenders, takeRenders } from "../web/render-counter.ts";

const panel = (page: Page) => page.locator("[data-panel]");
const rows = async (page: Page): Promise<string[]> =>
  await panel(page).locator("[data-row] .font-medium").allInnerTexts();

describeInBrowser("the tools panel", ({ serve, open }: Browsing) => {
  const show = async (message: string, source: Source = gallery): Promise<Page> => {
    const page = await open(await serve(source));
    await send(page, message);
    return page;
  };
  const openPanel = async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: /tools/i }).first().click();
    await panel(page).waitFor();
  };

  test("lists the calls of all runs of the conversation, filtered by tool, state and text", async () => {
    const page = await show("outcomes");
    await ended(page, "done");
    await openPanel(page);
    await send(page, "fold");
    await panel(page).getByText("12 total").waitFor();
    await panel(page).getByText("4 failed").waitFor();
    await panel(page).getByLabel("State").selectOption("timed out");
    await expect.poll(() => rows(page)).toEqual(["end_as_timeout"]);
    await panel(page).getByLabel("State").selectOption("");
    await panel(page).getByLabel("Tool").selectOption("read_file");
    await expect.poll(() => rows(page)).toEqual(["read_file", "read_file"]);
    await panel(page).getByLabel("Tool").selectOption("");
    await panel(page).getByLabel("Search arguments and results").fill("no file notes");
    await expect.poll(() => rows(page)).toEqual(["end_as_error"]);
    await panel(page).getByLabel("Search arguments and results").fill("nothing like that");
    await panel(page).getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => rows(page)).toHaveLength(12);
    expect(await violations(page)).toEqual([]);
  });

  test("a click goes to the card, opens what it is folded into, and focuses it", async () => {
    const page = await show("fold");
    await ended(page, "done");
    await openPanel(page);
    expect(await page.locator("[data-call]:visible").count()).toBe(0);
    await panel(page).locator("[data-row]").nth(1).click();
    const card = page.locator('[data-node="fold 3"]');
    await card.waitFor();
    await expect.poll(() => card.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await card.getAttribute("data-open")).toBe("true");
    expect(await page.locator("[data-call]:visible").count()).toBe(5);
  });

  test("a click reaches a card in a folded sub-agent, however deep", async () => {
    const page = await show("Show sub-agents, nested three deep", demoAgent({ speed: 30 }));
    await ended(page, "done");
    await openPanel(page);
    expect(await page.getByRole("article", { name: "Tool calculate" }).isVisible()).toBe(false);
    await panel(page).locator("[data-row]", { hasText: "calculate" }).click();
    await page.getByRole("article", { name: "Tool calculate" }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toBe("Tool calculate");
  });

  test("shows what runs now, what runs in parallel and for how long, and marks slow calls", async () => {
    const page = await show("x", atOnce);
    await openPanel(page);
    const now = panel(page).getByRole("region", { name: "Running now" });
    await now.getByText("2 in parallel").waitFor();
    await panel(page).getByText("2 executing").waitFor();
    expect(await now.locator("[data-elapsed]").count()).toBe(2);
    expect(await now.locator("[data-row]", { hasText: "never_quick" }).getAttribute("data-slow")).toBe("false");
    // Its three earlier calls took no time, so one second counts as slow.
    await now.locator("[data-row][data-slow=true]", { hasText: "usually_quick" }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("the timeline grows with the run: steps, calls and sub-agents on one axis", async () => {
    const page = await show("agents");
    await openPanel(page);
    await panel(page).getByRole("button", { name: "Timeline" }).click();
    const chart = panel(page).locator(".waterfall");
    await expect.poll(() => chart.locator("[data-bar=executing]").count()).toBe(6);
    expect(await violations(page)).toEqual([]);
    const bar = chart.locator("[data-bar=executing]").first();
    const lengthOf = () => bar.evaluate((element) => Number(getComputedStyle(element).getPropertyValue("--now")));
    const before = await lengthOf();
    await expect.poll(lengthOf).toBeGreaterThan(before);
    await page.getByRole("button", { name: "Stop helper b" }).click();
    await ended(page, "done");
    await expect.poll(() => chart.locator("[data-bar=executing]").count()).toBe(0);
    const labels = await chart
      .getByRole("listitem")
      .evaluateAll((found) => found.map((row) => row.querySelector("span")!.textContent));
    expect(labels).toEqual(["model, step 1", "task", "helper a", "task", "helper b", "task", "helper c"]);
    expect(await chart.locator("[data-bar=cancelled]").count()).toBe(2);
    expect(await violations(page)).toEqual([]);
    await chart.getByRole("button", { name: /^helper c/ }).click();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toBe("Sub-agent helper c");
  });

  test("a token renders nothing in the panel", async () => {
    const words = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
    const page = await open(await serve(speaking(words.map(({ promise }) => promise))));
    await countRenders(page);
    await page.reload();
    await openPanel(page);
    await send(page, "x");
    await page.locator("[data-run]").getByText("Words come.").waitFor();
    await panel(page).getByText("20 total").waitFor();
    await calmRenders(page);
    for (const [index, word] of words.entries()) {
      word.resolve();
      await page.locator("[data-run]").getByText(`word ${index}`).waitFor();
    }
    expect(Math.max(...(await takeRenders(page)))).toBeLessThan(20);
  });
});

/** Three calls of a tool that end immediately, then two concurrent ones that keep running. */
const atOnce: Source = async function* (_, { signal }): AsyncIterable<Event> {
  const start = function* (call: string, name: string): Iterable<Event> {
    yield { type: "step-start", step: `step of ${call}` };
    yield { type: "tool-start", call, name };
    yield { type: "tool-input-end", call, input: { query: call } };
    yield { type: "step-end", step: `step of ${call}`, finish: "tools" };
    yield { type: "tool-execute", call };
  };
  for (const call of ["a", "b", "c"]) {
    yield* start(call, "usually_quick");
    yield { type: "tool-end", call, outcome: "ok", ms: 5 };
  }
  yield* start("d", "usually_quick");
  yield* start("e", "never_quick");
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

/** Twenty cards, then text, each delta when its promise resolves. */
const speaking = (words: readonly Promise<void>[]): Source =>
  async function* (_, { signal }) {
    yield { type: "step-start", step: "s" };
    for (let index = 0; index < 20; index++) {
      yield { type: "tool-start", call: `c${index}`, name: "search" };
      yield { type: "tool-input-end", call: `c${index}`, input: { query: `${index}` } };
    }
    yield { type: "step-end", step: "s", finish: "tools" };
    for (let index = 0; index < 20; index++) {
      yield { type: "tool-execute", call: `c${index}` };
      yield { type: "tool-end", call: `c${index}`, outcome: "ok" };
    }
    yield { type: "step-start", step: "t" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: "Words come. " };
    for (const [index, time] of words.entries()) {
      await time;
      yield { type: "text-delta", part: "p", delta: `word ${index} ` };
    }
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
