import type { CDPSession, Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Browsing, describeInBrowser, ended, send } from "../browsing.ts";
import { finishedCards } from "../web/cards-then-text.ts";

const isLong = process.env.RUNCAST_LONG === "1";
const CARDS = isLong ? 10_000 : 400;
const MIDDLE = `c${CARDS / 2}`;

/** The number of parts and cards that are rendered. */
const drawn = (page: Page) => page.locator("[data-run] [data-node]").count();
const node = (page: Page, id: string) => page.locator(`[data-node="${id}"]`);

const scrollTo = async (page: Page, part: number): Promise<void> => {
  const box = page.getByRole("region", { name: "Conversation" });
  await box.evaluate((element, where) => {
    element.scrollTop = element.scrollHeight * where;
  }, part);
  const isInView = () =>
    box.evaluate((element) => {
      const { top, height, left, width } = element.getBoundingClientRect();
      const found = document.elementFromPoint(left + width / 2, top + height / 2);
      return found?.closest("[data-run]") !== null && found?.closest(".far") === null;
    });
  await expect.poll(isInView, { timeout: 20_000 }).toBe(true);
};

const isSeen = (page: Page, id: string): Promise<boolean> =>
  page.evaluate((wanted) => {
    const found = document.querySelector(`[data-node="${wanted}"]`);
    if (!found || found !== document.activeElement) return false;
    const { top, bottom } = found.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }, id);

/** Jumps to a call through the panel. */
const jump = async (page: Page, call: string): Promise<void> => {
  const panel = page.locator("[data-panel]");
  await panel.getByLabel("Search arguments and results").fill(call);
  await panel.locator(`[data-row="${call}"]`).click();
  await expect.poll(() => isSeen(page, call), { timeout: 20_000 }).toBe(true);
};

/** Measures main-thread time. For information only: no test depends on it. */
const timed = async (page: Page, name: string, work: () => Promise<void>): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await spent(session);
  await work();
  const after = await spent(session);
  if (isLong)
    console.log(`${name}: script ${after.script - before.script} ms, all tasks ${after.task - before.task} ms`);
  await session.detach();
};

const spent = async (session: CDPSession): Promise<{ script: number; task: number }> => {
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name: string) => Math.round((metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000);
  return { script: value("ScriptDuration"), task: value("TaskDuration") };
};

describeInBrowser("a long run on the page", ({ serve, open }: Browsing) => {
  const openLong = async (): Promise<Page> => {
    const url = await serve(async function* () {
      yield* finishedCards(CARDS);
      yield { type: "agent-start", agent: "helper", name: "helper" };
      yield* finishedCards(100, "helper");
      yield { type: "agent-end", agent: "helper", outcome: "done" };
      yield { type: "step-start", step: "last" };
      yield { type: "text-start", part: "last" };
      yield { type: "text-delta", part: "last", delta: "All cards are there." };
    });
    const page = await open(url);
    page.setDefaultTimeout(isLong ? 60_000 : 20_000);
    await send(page, "x");
    await ended(page, "done");
    await timed(page, `opening a run of ${CARDS * 2} items`, async () => {
      await page.reload();
      await page.getByText("All cards are there.").waitFor();
    });
    return page;
  };

  test("draws only what is near the viewport", async () => {
    const page = await openLong();
    expect(await drawn(page)).toBeLessThan(200);
    for (const part of [0.5, 0, 0.8]) {
      await scrollTo(page, part);
      await expect.poll(() => drawn(page)).toBeLessThan(300);
    }
  });

  test("a jump reaches any card, even one that a folded sub-agent never drew, and keeps its state", async () => {
    const page = await openLong();
    await page.getByRole("button", { name: "Tools" }).click();
    await timed(page, "a jump to the middle", () => jump(page, MIDDLE));
    await jump(page, "chelper7");
    await jump(page, "c0");
    expect(await drawn(page)).toBeLessThan(500);
    // A card stays open if the user opened it.
    expect(await node(page, MIDDLE).getAttribute("data-open")).toBe("true");
    await jump(page, MIDDLE);
  });
});
