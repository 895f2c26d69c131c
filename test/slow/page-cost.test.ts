import type { BrowserContextOptions } from "playwright-core";
import { expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";

const prices = { big: { input: 2, output: 10 }, small: { input: 0.1, output: 0.4 } };

/** A step of a large model, and a sub-agent with a small one. */
const working: Source = async function* () {
  const events: Event[] = [
    { type: "run-start", protocol: 2, run: "x", name: "demo", model: "big" },
    { type: "step-start", step: "s" },
    { type: "text-start", part: "p" },
    { type: "text-delta", part: "p", delta: "Here it is." },
    { type: "text-end", part: "p" },
    { type: "step-end", step: "s", finish: "stop", usage: { input: 1000, output: 100 } },
    { type: "agent-start", agent: "a", name: "helper", task: "Help", model: "small" },
    { type: "step-start", step: "t", agent: "a" },
    { type: "step-end", step: "t", agent: "a", finish: "stop", usage: { input: 1000, output: 100 } },
    { type: "agent-end", agent: "a", outcome: "done", usage: { input: 1000, output: 100 } },
  ];
  yield* events;
};

describeInBrowser("what a run costs", ({ serve, open }: Browsing) => {
  test.each<[string, BrowserContextOptions]>([
    ["in the light", { colorScheme: "light" }],
    ["on a phone in dark mode", { colorScheme: "dark", viewport: { width: 390, height: 844 } }],
  ])("is shown for each step, sub-agent, run and conversation, and on the board, %s", async (_, options) => {
    const url = await serve(working, { runner: { prices } });
    const page = await open(url, options);
    await send(page, "First question");
    await ended(page, "done");
    await page.getByText("2,000 tokens in, 200 out, $0.0031").waitFor();
    expect(await page.locator("[data-conversation-usage]").count()).toBe(0);
    await send(page, "Second question");
    await expect.poll(() => page.getByRole("article", { name: "Agent" }).count()).toBe(2);
    await ended(page, "done");
    await page.getByText("Whole conversation: 4,000 tokens in, 400 out, $0.0063").waitFor();
    await page
      .getByRole("button", { name: /helper/ })
      .last()
      .click();
    await page.getByText("1,000 tokens in, 100 out, $0.00014").last().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByText("Whole conversation: 4,000 tokens in, 400 out, $0.0063").waitFor();

    await page.goto(`${url}/?board=1`);
    if (!options.viewport) await page.getByText("2,200 tokens, $0.0031").first().waitFor();
    await page.getByRole("link", { name: "Second question" }).click();
    await page.getByText("2,000 tokens in, 200 out, $0.0031").waitFor();
    await page.getByRole("button", { name: "Outline" }).click();
    await page.locator("[data-outline]").getByText("1,000 tokens in, 100 out, $0.003").waitFor();
  });

  test("is not shown without a price", async () => {
    const page = await open(await serve(working));
    await send(page, "First question");
    await ended(page, "done");
    await page.getByText("2,000 tokens in, 200 out · big").waitFor();
    expect(await page.locator("[data-run-end] time").innerText()).toMatch(/^\d+:\d\d [AP]M$/);
    expect(await page.getByText("$").count()).toBe(0);
  });
});
