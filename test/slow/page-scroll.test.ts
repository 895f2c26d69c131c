import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send } from "../browsing.ts";

const LINES = 200;
const diff = `--- a/notes.txt\n+++ b/notes.txt\n@@ -0,0 +1,${LINES} @@\n${"+a new line\n".repeat(LINES)}`;

/** Changes a file, then answers in many lines. */
const source: Source = async function* () {
  yield { type: "step-start", step: "s" };
  yield { type: "tool-start", call: "c", name: "change" };
  yield { type: "tool-input-end", call: "c", input: {} };
  yield { type: "step-end", step: "s", finish: "tools" };
  yield { type: "tool-execute", call: "c" };
  yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: diff }] };
  yield { type: "step-start", step: "t" };
  yield { type: "text-start", part: "p" };
  yield { type: "text-delta", part: "p", delta: "A line.\n\n".repeat(60) };
  yield { type: "text-end", part: "p" };
  yield { type: "step-end", step: "t", finish: "stop" };
};

/** Asks for a name, and emits many lines below the question when the test allows it. */
const asking = (gate: Promise<void>): Source =>
  async function* (_, { answerTo }) {
    yield { type: "ask-start", ask: "a", kind: "input", title: "What is your name?" };
    await gate;
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: "A line.\n\n".repeat(60) };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s", finish: "stop" };
    await answerTo("a");
  };

const isInView = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

/** Whatever follows the end has done so by then. */
const nextFrames = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)))));

describeInBrowser("scrolling", ({ serve, open }: Browsing) => {
  test("text for screen readers in a box that scrolls adds no room to the conversation", async () => {
    const page = await open(await serve(source));
    await send(page, "go");
    await ended(page, "done");
    await page.getByRole("article", { name: "Tool change" }).getByRole("button", { expanded: false }).click();
    const box = page.getByRole("region", { name: "Conversation" });
    await box.locator("[data-line=added]").nth(100).waitFor();
    const room = await box.evaluate((element) => {
      const [content] = element.children;
      return element.scrollHeight - (content as HTMLElement).offsetHeight;
    });
    expect(room).toBe(0);
  });

  test("the head of a dialog stays in view when the focus goes to its last control", async () => {
    const page = await open(await serve(source), { viewport: { width: 390, height: 500 } });
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Settings" });
    await dialog.getByRole("radio", { name: "System" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await dialog.getByRole("radio", { name: "Light" }).isChecked()).toBe(true);
    expect(await isInView(dialog.getByRole("heading", { name: "Settings", exact: true }))).toBe(true);
    expect(await isInView(dialog.getByText("Light", { exact: true }))).toBe(true);
  });

  test("a message stays in view while the user edits it, also with the keyboard alone", async () => {
    const page = await open(await serve(source));
    await send(page, "go");
    await ended(page, "done");
    await page.getByRole("button", { name: "Edit", exact: true }).focus();
    await page.keyboard.press("Enter");
    const field = page.getByRole("textbox", { name: "Edit the message" });
    await field.waitFor();
    await nextFrames(page);
    expect(await isInView(field)).toBe(true);
  });

  test("a form stays in view while the user fills it in and text arrives below it", async () => {
    const gate = Promise.withResolvers<void>();
    const page = await open(await serve(asking(gate.promise)));
    await send(page, "go");
    const field = page.locator("[data-ask=a]").getByRole("textbox");
    await field.fill("In");
    gate.resolve();
    await page.getByText("A line.").last().waitFor({ state: "attached" });
    await nextFrames(page);
    expect(await isInView(field)).toBe(true);
    await field.press("Enter");
    await ended(page, "done");
  });
});
