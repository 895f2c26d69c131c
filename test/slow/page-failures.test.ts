import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { finishedCards } from "../web/cards-then-text.ts";

function* text(part: string, delta: string): Generator<Event> {
  yield { type: "step-start", step: `step of ${part}` };
  yield { type: "text-start", part };
  yield { type: "text-delta", part, delta };
  yield { type: "text-end", part };
  yield { type: "step-end", step: `step of ${part}`, finish: "stop" };
}

function* called(call: string, agent?: string): Generator<Event> {
  const by = agent === undefined ? {} : { agent };
  const hasFailed = call.startsWith("broken");
  yield { type: "step-start", step: `step of ${call}`, ...by };
  yield { type: "tool-start", call, name: "read_map", ...by };
  yield { type: "tool-input-end", call, input: { map: call }, ...by };
  yield { type: "step-end", step: `step of ${call}`, finish: "tools", ...by };
  yield { type: "tool-execute", call, ...by };
  yield hasFailed
    ? { type: "tool-end", call, outcome: "error", error: { code: "x", message: "no such map" }, ...by }
    : { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: "Found." }], ...by };
}

/**
 * Answers at length. For "break", a call fails in a folded group and one in a folded sub-agent, and the run fails. For
 * "lose", a sub-agent, a step and the run fail.
 */
const source: Source = async function* ({ messages }) {
  const [asked] = messages.at(-1)!.content;
  if (asked?.type === "text" && asked.text === "break") {
    yield* called("fine 1");
    yield* called("broken 1");
    yield* called("fine 2");
    yield* text("between", "Two maps are enough.");
    yield* finishedCards(60);
    yield { type: "agent-start", agent: "h", name: "researcher", task: "Find the lighthouse" };
    yield* called("broken 2", "h");
    yield { type: "agent-end", agent: "h", outcome: "done" };
    yield* text("long", "A long text before the end.\n\n".repeat(60));
    throw new Error("The model is gone.");
  }
  if (asked?.type === "text" && asked.text === "lose") {
    const error = { code: "network", message: "The line is dead." };
    yield { type: "agent-start", agent: "lost", name: "researcher", task: "Find the lighthouse" };
    yield { type: "agent-end", agent: "lost", outcome: "error", error };
    yield* finishedCards(60);
    yield { type: "step-start", step: "retried" };
    yield { type: "step-retry", step: "retried", attempt: 2, wait: 1, error };
    yield { type: "step-end", step: "retried", finish: "error" };
    throw new Error("The model is gone.");
  }
  yield* text("answer", "All is well.\n\n".repeat(60));
};

const conversation = (page: Page) => page.getByRole("region", { name: "Conversation" });
const button = (page: Page) => page.getByRole("button", { name: "Next failure" });
const isInView = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight + 1;
};
const isFocused = (page: Page, place: string) => async () => {
  const focused = page.locator(`${place}:focus`);
  return (await focused.count()) === 1 && (await focused.evaluate(isInView));
};
const FOLDED = '[data-node="broken 1"]';
const NESTED = '[data-node="broken 2"]';
const END = "[data-run-end=error]";
/** A jump goes through parts of the run that were not drawn. */
const FAR = { timeout: 20_000 };

describeInBrowser("the failures in a conversation", ({ serve, open }: Browsing) => {
  test.each<[string, BrowserContextOptions]>([
    ["in the light", { colorScheme: "light" }],
    ["on a phone in dark mode", { colorScheme: "dark", viewport: { width: 390, height: 844 } }],
  ])("are reached one after the other with the keyboard alone, wherever they are hidden, %s", async (_, options) => {
    const page = await open(await serve(source), options);
    await send(page, "break");
    await ended(page, "error");
    for (const message of ["talk", "talk more", "and more"]) {
      await send(page, message);
      await ended(page, "done");
    }
    // The message with the failures is not drawn.
    await expect.poll(() => page.locator("[data-run]").count()).toBeLessThan(4);
    await conversation(page).focus();
    expect(await button(page).count()).toBe(0);
    for (const place of [FOLDED, NESTED, END, FOLDED]) {
      await page.keyboard.press("f");
      await expect.poll(isFocused(page, place), FAR).toBe(true);
    }
    await page.getByText("no such map").first().waitFor();
    expect(await violations(page)).toEqual([]);
    // The button continues after the failure in view.
    for (const place of [NESTED, END, FOLDED]) {
      await button(page).press("Enter");
      await expect.poll(isFocused(page, place), FAR).toBe(true);
    }
    await page.getByRole("button", { name: "Go to the end" }).press("Enter");
    await button(page).waitFor({ state: "detached" });
  });

  test("are reached at once in a conversation that is still loading from the server", async () => {
    const key = "the-key-of-ann";
    const url = await serve(source, { keys: [{ name: "ann", key }] });
    const client = createClient({ url, key });
    for (const message of ["break", "talk", "talk more", "and more", "and even more"])
      await client.start({ message, thread: "t" }).finished;
    const page = await open(url);
    await page.getByLabel("Key or token").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Conversations" }).getByText("break").click();
    await ended(page, "done");
    await conversation(page).focus();
    await page.keyboard.press("f");
    await expect.poll(isFocused(page, FOLDED), FAR).toBe(true);
  });

  test("include sub-agents and steps", async () => {
    const page = await open(await serve(source));
    await send(page, "lose");
    await ended(page, "error");
    await conversation(page).focus();
    for (const place of ['[data-node="lost"]', '[data-node="retried"]', END, '[data-node="lost"]']) {
      await page.keyboard.press("f");
      await expect.poll(isFocused(page, place), FAR).toBe(true);
    }
  });

  test("are searched from the run in view on", async () => {
    const page = await open(await serve(source));
    await send(page, "break");
    await ended(page, "error");
    await send(page, "talk");
    await ended(page, "done");
    await send(page, "break");
    await expect.poll(() => page.getByRole("article", { name: "Agent" }).count()).toBe(3);
    await ended(page, "error");
    const last = page.getByRole("article", { name: "Agent" }).last();
    await expect.poll(() => last.locator(END).evaluate(isInView)).toBe(true);
    const id = await last.getAttribute("data-message");
    await conversation(page).focus();
    await page.keyboard.press("f");
    const where = () =>
      page.evaluate(() => document.activeElement?.closest("[data-message]")?.getAttribute("data-message"));
    await expect.poll(where, FAR).toBe(id);
    await page.keyboard.press("f");
    await expect.poll(isFocused(page, NESTED), FAR).toBe(true);
    await page.keyboard.press("f");
    await expect.poll(isFocused(page, END), FAR).toBe(true);
    // The end of the conversation cannot be in the middle of the view. Nothing else moves to bring it there.
    expect(await page.getByRole("banner").boundingBox()).toMatchObject({ y: 0 });
  });

  test("are reached on the page of a run, too", async () => {
    const url = await serve(source);
    const page = await open(url);
    await send(page, "break");
    await ended(page, "error");
    const [run] = ((await (await fetch(`${url}/runs`)).json()) as { runs: { run: string }[] }).runs;
    await page.goto(`${url}/?run=${run!.run}`);
    await page.locator(END).waitFor();
    await page.getByRole("main", { name: "Run" }).focus();
    await page.keyboard.press("f");
    await expect.poll(isFocused(page, FOLDED), FAR).toBe(true);
    await button(page).press("Enter");
    await expect.poll(isFocused(page, NESTED), FAR).toBe(true);
    expect(await violations(page)).toEqual([]);
  });

  test("have a listed key, which says so if there are none, and no button then", async () => {
    const page = await open(await serve(source));
    await send(page, "talk");
    await ended(page, "done");
    await conversation(page).focus();
    await page.keyboard.press("f");
    await page.getByRole("log", { name: "Status updates" }).getByText("There are no failures.").waitFor();
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "Go to the end" }).waitFor();
    expect(await button(page).count()).toBe(0);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Go to the next failure").waitFor();
    const keys = await page.getByRole("dialog").locator("dt").allInnerTexts();
    expect(keys).toContain("f");
    expect(keys).toHaveLength(new Set(keys).size);
  });
});
