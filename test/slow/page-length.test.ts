import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CONVERSATION, history, historyFile } from "../../bench/web/history.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send } from "../browsing.ts";

const ANSWERS = process.env.RUNCAST_LONG === "1" ? 500 : 150;

/** A page scrolled to the end of a conversation with many messages and cards. */
const openLong = async (open: Browsing["open"], url: string): Promise<Page> => {
  const page = await open(url);
  const buffer = Buffer.from(historyFile(history(ANSWERS)));
  const file = { name: "long.json", mimeType: "application/json", buffer };
  await page.getByLabel("Conversation file").setInputFiles(file);
  await page.getByText("1 conversation added").waitFor();
  await page.goto(`${url}/?chat=${CONVERSATION}`);
  await page.getByText(`Question ${ANSWERS - 1}`).waitFor();
  return page;
};

const box = (page: Page) => page.getByRole("region", { name: "Conversation" });
const place = (page: Page) =>
  box(page).evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
    top: scrollTop,
    left: scrollHeight - scrollTop - clientHeight,
  }));
const settled = (page: Page, isIt: (place: { top: number; left: number }) => boolean) =>
  expect.poll(async () => isIt(await place(page)), { timeout: 20_000 }).toBe(true);
const jumpToText = async (page: Page) => {
  await page.getByRole("button", { name: "Outline" }).click();
  const outline = page.getByRole("region", { name: "Outline" });
  await outline.getByRole("button", { name: /Paragraph 0/ }).click();
};
/** The number of messages that are rendered, not only reserved as space. */
const drawn = (page: Page) => page.locator("[data-message]:has(*)").count();

/** Emits a paragraph whenever the test allows it. */
const paragraphs = () => {
  let wake = (): void => {};
  let allowed = 0;
  const source: Source = async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    for (let number = 0; number < 60; number++) {
      while (number >= allowed) await new Promise<void>((resolve) => (wake = resolve));
      yield { type: "text-delta", part: "p", delta: `Paragraph ${number}.\n\n` };
    }
  };
  const allow = (count: number): void => {
    allowed = count;
    wake();
  };
  return { source, allow };
};

describeInBrowser("a long conversation on the page", ({ serve, open }: Browsing) => {
  test("opens at its end, and draws only what is near the viewport", async () => {
    const page = await openLong(open, await serve());
    await settled(page, ({ left }) => left < 2);
    expect(await page.locator("[data-message]").count()).toBe(2 * ANSWERS);
    expect(await drawn(page)).toBeLessThan(60);
    for (const part of [0.5, 0, 0.8]) {
      await box(page).evaluate((element, where) => {
        element.scrollTop = element.scrollHeight * where;
      }, part);
      const inView = () =>
        box(page).evaluate((element) => {
          const { top, height, left, width } = element.getBoundingClientRect();
          const shown = document.elementFromPoint(left + width / 2, top + height / 2)?.closest("[data-message]");
          return shown === null || shown === undefined || shown.childElementCount > 0;
        });
      await expect.poll(inView, { timeout: 20_000 }).toBe(true);
      expect(await drawn(page)).toBeLessThan(80);
    }
  });

  test("the browser observes only messages near the viewport, and groups of the others", async () => {
    const page = await openLong(open, await serve());
    await page.addInitScript(() => {
      const { observe, unobserve } = IntersectionObserver.prototype;
      const observed = new Set<Element>();
      Object.assign(window, { observed });
      IntersectionObserver.prototype.observe = function (this: IntersectionObserver, element) {
        observed.add(element);
        observe.call(this, element);
      };
      IntersectionObserver.prototype.unobserve = function (this: IntersectionObserver, element) {
        observed.delete(element);
        unobserve.call(this, element);
      };
    });
    await page.reload();
    await page.getByText(`Question ${ANSWERS - 1}`).waitFor();
    const observed = () =>
      page.evaluate(
        () =>
          [...(window as unknown as { observed: Set<Element> }).observed].filter((element) =>
            element.matches("[data-message]"),
          ).length,
      );
    for (const part of [1, 0.5, 0]) {
      await box(page).evaluate((element, where) => {
        element.scrollTop = element.scrollHeight * where;
      }, part);
      await expect.poll(observed, { timeout: 20_000 }).toBeGreaterThan(0);
      await expect.poll(observed, { timeout: 20_000 }).toBeLessThan(60);
    }
  });

  test("the end stays in view while it grows, unless the reader has moved away", async () => {
    const { source, allow } = paragraphs();
    const page = await open(await serve(source));
    await send(page, "go");
    allow(30);
    await page.getByText("Paragraph 29.").waitFor();
    await settled(page, ({ top, left }) => top > 0 && left < 2);
    await box(page).hover();
    await page.mouse.wheel(0, -300);
    await page.getByRole("button", { name: "Go to the end" }).waitFor();
    // The button can appear a frame before the page has scrolled.
    await settled(page, ({ left }) => left > 298);
    const before = await place(page);
    allow(50);
    await page.getByText("Paragraph 49.").waitFor({ state: "attached" });
    const after = await place(page);
    expect(after.top).toBe(before.top);
    expect(after.left).toBeGreaterThan(before.left);
    await page.getByRole("button", { name: "Go to the end" }).click();
    await settled(page, ({ left }) => left < 2);
    allow(60);
    await ended(page, "done");
    await settled(page, ({ left }) => left < 2);
    expect(await page.getByRole("button", { name: "Go to the end" }).count()).toBe(0);
  });

  test("whoever edits a message or runs it again from the top sees the answer, even after a jump", async () => {
    const { source, allow } = paragraphs();
    const page = await open(await serve(source));
    allow(60);
    await send(page, "go");
    await ended(page, "done");
    await settled(page, ({ top, left }) => top > 0 && left < 2);
    const toTop = async () => {
      await jumpToText(page);
      await settled(page, ({ top, left }) => top < 200 && left > 300);
      await page.getByRole("button", { name: "Outline" }).click();
    };
    const answer = () => page.locator("[data-message]").last().getAttribute("data-message");
    const showsNew = async (ask: () => Promise<void>) => {
      const before = await answer();
      await ask();
      await expect.poll(answer).not.toBe(before);
      await ended(page, "done");
      await settled(page, ({ left }) => left < 2);
      expect(await page.getByRole("button", { name: "Go to the end" }).count()).toBe(0);
    };
    await toTop();
    await page.getByRole("button", { name: "Edit" }).first().click();
    await showsNew(() => page.getByRole("textbox", { name: "Edit the message" }).press("Enter"));
    await toTop();
    await showsNew(() => page.getByRole("button", { name: "Run again" }).last().press("Enter"));
  });

  test("a message that the user edits keeps its text when they scroll far away", async () => {
    const page = await openLong(open, await serve());
    const press = async (key: "Home" | "End"): Promise<void> => {
      await box(page).focus();
      await page.keyboard.press(key);
    };
    await press("Home");
    const message = page.locator("[data-message]").first();
    await message.hover();
    await message.getByRole("button", { name: "Edit", exact: true }).click();
    const field = page.getByRole("textbox", { name: "Edit the message" });
    await field.fill("Half a thought");
    await press("End");
    await settled(page, ({ left }) => left < 2);
    await page.locator("[data-message]:empty").nth(10).waitFor({ state: "attached" });
    await press("Home");
    await settled(page, ({ top }) => top === 0);
    expect(await field.inputValue()).toBe("Half a thought");
  });

  test("a jump to a text that is longer than the window shows its beginning", async () => {
    const { source, allow } = paragraphs();
    const page = await open(await serve(source));
    allow(60);
    await send(page, "go");
    await ended(page, "done");
    await settled(page, ({ top, left }) => top > 0 && left < 2);
    // Without smooth scrolling, which would pass the beginning on its way to another place.
    await page.emulateMedia({ reducedMotion: "reduce" });
    await jumpToText(page);
    const first = page.locator('[data-node="p"]');
    await expect.poll(() => first.evaluate((element) => document.activeElement === element)).toBe(true);
    const [{ y: head }, { y }] = [(await box(page).boundingBox())!, (await first.boundingBox())!];
    expect(y - head).toBeGreaterThanOrEqual(0);
    expect(y - head).toBeLessThan(100);
  });

  test("a user who is selecting text is not scrolled away from it", async () => {
    const { source, allow } = paragraphs();
    const page = await open(await serve(source));
    await send(page, "go");
    allow(30);
    await page.getByText("Paragraph 29.").waitFor();
    await settled(page, ({ top, left }) => top > 0 && left < 2);
    await page.getByText("Paragraph 28.").dblclick();
    const before = await place(page);
    allow(50);
    await page.getByText("Paragraph 49.").waitFor({ state: "attached" });
    expect((await place(page)).top).toBe(before.top);
    await page.evaluate(() => getSelection()?.removeAllRanges());
    allow(60);
    await ended(page, "done");
    await settled(page, ({ left }) => left < 2);
  });
});
