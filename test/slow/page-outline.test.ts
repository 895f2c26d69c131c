import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { calmRenders, countRenders, takeRenders } from "../web/render-counter.ts";
import { finishedCards, cardsThenText } from "../web/cards-then-text.ts";

const outline = (page: Page) => page.locator("[data-outline]");
const row = (page: Page, text: string | RegExp) => outline(page).getByRole("button", { name: text });
const isFocused = (page: Page, node: string) => () =>
  page.locator(`[data-node="${node}"]`).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return element === document.activeElement && top >= 0 && bottom <= innerHeight + 1;
  });

/** Many steps, then a sub-agent with a file and a failed call. */
const busy: Source = async function* () {
  yield* finishedCards(60);
  const events: Event[] = [
    { type: "step-start", step: "s" },
    { type: "step-end", step: "s", finish: "tools", usage: { input: 1204, output: 32 } },
    { type: "agent-start", agent: "h", name: "researcher", task: "Find the lighthouse" },
    { type: "step-start", step: "inner", agent: "h" },
    { type: "tool-start", call: "broken", name: "read_map", agent: "h" },
    { type: "tool-input-end", call: "broken", input: {}, agent: "h" },
    { type: "step-end", step: "inner", finish: "tools", agent: "h" },
    { type: "tool-execute", call: "broken", agent: "h" },
    { type: "tool-end", call: "broken", outcome: "error", error: { code: "x", message: "no such map" }, agent: "h" },
    { type: "agent-end", agent: "h", outcome: "done" },
    { type: "file", name: "route.gpx", mediaType: "application/gpx+xml", url: "https://example.org/route.gpx" },
    { type: "step-start", step: "t" },
    { type: "text-start", part: "p" },
    { type: "text-delta", part: "p", delta: "Here is the way." },
    { type: "text-end", part: "p" },
    { type: "step-end", step: "t", finish: "stop" },
  ];
  yield* events;
};

describeInBrowser("the outline of a run", ({ serve, open }: Browsing) => {
  test.each<[string, BrowserContextOptions]>([
    ["in the light", { colorScheme: "light" }],
    ["in dark mode", { colorScheme: "dark" }],
    ["on a phone", { viewport: { width: 390, height: 844 } }],
  ])("leads to steps, sub-agents, files and failures with the keyboard alone, %s", async (_, options) => {
    const page = await open(await serve(busy), options);
    await send(page, "Find the lighthouse");
    await ended(page, "done");
    await page.getByRole("region", { name: "Conversation" }).focus();
    await page.keyboard.press("o");
    await outline(page).waitFor();
    await row(page, "1. Number 0").waitFor();
    expect(await violations(page)).toEqual([]);
    await row(page, "1. Number 0").press("Enter");
    await expect.poll(isFocused(page, "t0"), { timeout: 20_000 }).toBe(true);
    if (options.viewport) await page.keyboard.press("o");
    await outline(page).getByRole("button", { name: "Failures 1" }).press("Enter");
    await row(page, /read_map/).press("Enter");
    await expect.poll(isFocused(page, "broken"), { timeout: 20_000 }).toBe(true);
    if (options.viewport) await page.keyboard.press("o");
    await outline(page).getByRole("button", { name: "Sub-agents 1" }).press("Enter");
    await row(page, /researcher/).press("Enter");
    await expect.poll(isFocused(page, "h"), { timeout: 20_000 }).toBe(true);
    if (options.viewport) await page.keyboard.press("o");
    await outline(page).getByRole("button", { name: "Files 1" }).press("Enter");
    await row(page, /route\.gpx/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("o");
    await outline(page).waitFor({ state: "detached" });
  });

  test("has a button and a listed shortcut, and closes when the tools open", async () => {
    const page = await open(await serve(busy));
    await send(page, "Find the lighthouse");
    await ended(page, "done");
    await page.getByRole("button", { name: "Outline" }).click();
    await outline(page).waitFor();
    await page.getByRole("button", { name: "Tools", exact: true }).click();
    await page.locator("[data-panel]").waitFor();
    expect(await outline(page).count()).toBe(0);
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("dialog").getByText("Show or hide the outline").waitFor();
    const keys = await page.getByRole("dialog").locator("dt").allInnerTexts();
    expect(keys).toContain("o");
    expect(keys).toHaveLength(new Set(keys).size);
  });

  test("stays open after a reload, even with the settings of an earlier version", async () => {
    const page = await open(await serve(busy));
    await page.getByRole("button", { name: "Outline" }).click();
    await outline(page).waitFor();
    await page.reload();
    await outline(page).waitFor();
    await page.evaluate(() => localStorage.setItem("runcast.settings", JSON.stringify({ tools: true })));
    await page.reload();
    await page.locator("[data-panel]").waitFor();
    await page.getByRole("button", { name: "Outline" }).click();
    await outline(page).waitFor();
    const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("runcast.settings")!) as object);
    expect(kept).toMatchObject({ panel: "outline" });
    expect(kept).not.toHaveProperty("tools");
  });

  test("has the messages of a conversation with several runs, and the page of a single run has one, too", async () => {
    const url = await serve(busy);
    const page = await open(url);
    await send(page, "First question");
    await ended(page, "done");
    await send(page, "Second question");
    await expect.poll(() => page.getByRole("article", { name: "Agent" }).count()).toBe(2);
    await ended(page, "done");
    await page.getByRole("button", { name: "Outline" }).click();
    await row(page, "First question").waitFor();
    const [run] = ((await (await fetch(`${url}/runs`)).json()) as { runs: { run: string }[] }).runs;
    await page.goto(`${url}/?run=${run!.run}`);
    await page.getByRole("button", { name: "Outline" }).click();
    await row(page, "1. Number 0").click();
    await expect.poll(isFocused(page, "t0"), { timeout: 20_000 }).toBe(true);
    expect(await violations(page)).toEqual([]);
  });

  test("is not drawn again while text streams, however long the run is", async () => {
    const { source, say } = cardsThenText(500);
    const page = await open("about:blank");
    await countRenders(page);
    await page.goto(await serve(source));
    await send(page, "Talk");
    await page.getByText("All cards are there.").waitFor();
    await page.getByRole("button", { name: "Outline" }).click();
    await row(page, "1. Number 0").waitFor();
    expect(await outline(page).getByRole("listitem").count()).toBeLessThan(60);
    await calmRenders(page);
    for (let word = 0; word < 20; word++) await say(`word${word} `);
    await page.getByText("word19").waitFor();
    expect(Math.max(...(await takeRenders(page)))).toBeLessThan(20);
  });
});
