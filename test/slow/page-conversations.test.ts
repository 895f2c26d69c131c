import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { calmRenders, countRenders, takeRenders } from "../web/render-counter.ts";

/** Answers with its number after a call. Waits in the middle if the test requires it. */
const answering = (wait: () => Promise<void> = async () => {}): Source => {
  let count = 0;
  return async function* () {
    const name = `Answer ${++count}`;
    yield { type: "step-start", step: "s" };
    yield { type: "tool-start", call: "c", name: "look" };
    yield { type: "tool-input-end", call: "c", input: { at: name } };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "tool-execute", call: "c" };
    yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: `Seen by ${name}` }], ms: 5 };
    yield { type: "step-start", step: "t" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: `${name} begins ` };
    await wait();
    yield { type: "text-delta", part: "p", delta: "and ends." };
  };
};

const sidebar = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const titles = (page: Page) => sidebar(page).getByRole("listitem").getByRole("button").first();
const rows = (page: Page) => sidebar(page).getByRole("listitem");
const more = async (page: Page, title: string, item: string): Promise<void> => {
  await sidebar(page)
    .getByRole("button", { name: `More actions for ${title}` })
    .click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};
const startNew = (page: Page) => sidebar(page).getByRole("button", { name: "New conversation" }).click();
const download = async (page: Page, act: () => Promise<void>): Promise<string> => {
  const [saved] = await Promise.all([page.waitForEvent("download"), act()]);
  return await readFile(await saved.path(), "utf8");
};
/** Excludes text for screen readers. */
const answerText = (page: Page, text: string | RegExp) => page.getByRole("article", { name: "Agent" }).getByText(text);
/** The visible text of the answers. */
const shownText = async (page: Page) => (await page.getByRole("article", { name: "Agent" }).allInnerTexts()).join("\n");
/** All runs that the browser has stored. */
const keptRuns = async (page: Page): Promise<Record<string, Entry[]>> =>
  JSON.parse(await download(page, () => sidebar(page).getByRole("button", { name: "Export all" }).click())).runs;

describeInBrowser("conversations on the page", ({ serve, open, openBeside }: Browsing) => {
  test("are listed, renamed, searched, deleted and restored", async () => {
    const page = await open(await serve(answering()));
    await sidebar(page).getByText("Conversations appear here").waitFor();
    for (const message of ["How deep is the sea?", "Where is the lighthouse?"]) {
      await send(page, message);
      await ended(page, "done");
      await startNew(page);
    }
    expect(await rows(page).allInnerTexts()).toEqual(["Where is the lighthouse?", "How deep is the sea?"]);
    await titles(page).dblclick();
    await page.getByRole("textbox", { name: "Title" }).fill("Towers");
    await page.keyboard.press("Enter");
    await rows(page).getByText("Towers").waitFor();
    const search = page.getByRole("searchbox", { name: "Search conversations" });
    await search.fill("answer 1 BEGINS");
    await sidebar(page).getByText("1 conversation", { exact: true }).waitFor();
    expect(await rows(page).locator("mark").innerText()).toBe("Answer 1 begins");
    expect(await violations(page)).toEqual([]);
    await search.fill("nowhere to be found");
    await sidebar(page).getByText("Nothing found").waitFor();
    await search.fill("");
    await more(page, "Towers", "Delete");
    await sidebar(page).getByText("Deleted “Towers”").waitFor();
    expect(await rows(page).allInnerTexts()).toEqual(["How deep is the sea?"]);
    await sidebar(page).getByRole("button", { name: "Undo" }).click();
    await rows(page).getByText("Towers").waitFor();
    await page.reload();
    await rows(page).getByText("Towers").waitFor();
    await titles(page).press("F2");
    await page.getByRole("textbox", { name: "Title" }).fill("Not this");
    await page.keyboard.press("Escape");
    await rows(page).getByText("Towers").waitFor();
  });

  test("the menu of a conversation works by keyboard alone, and no other key acts while it is open", async () => {
    const page = await open(await serve(answering()));
    await send(page, "How deep is the sea?");
    await ended(page, "done");
    const button = sidebar(page).getByRole("button", { name: "More actions for How deep is the sea?" });
    const focused = () => page.evaluate(() => document.activeElement?.textContent.trim());
    const url = page.url();
    await button.press("Enter");
    await expect.poll(focused).toBe("Rename");
    expect(await violations(page)).toEqual([]);
    for (const [key, item] of [
      ...[
        ["ArrowDown", "Export"],
        ["ArrowUp", "Rename"],
        ["ArrowUp", "Delete everywhere…"],
        ["ArrowDown", "Rename"],
      ],
      ...[
        ["End", "Delete everywhere…"],
        ["Home", "Rename"],
        ["d", "Delete"],
        ["D", "Delete everywhere…"],
        ["n", "Delete everywhere…"],
      ],
    ] as const) {
      await page.keyboard.press(key!);
      expect([key, await focused()]).toEqual([key, item]);
    }
    await page.keyboard.press("Escape");
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
    await expect.poll(() => button.getAttribute("aria-expanded")).toBe("false");
    expect(page.url()).toBe(url);
    // The button closes what it opened, and so does a click elsewhere.
    await button.click();
    await page.getByRole("menu").waitFor();
    await button.click();
    await page.getByRole("menu").waitFor({ state: "hidden" });
    await button.press("ArrowDown");
    await expect.poll(focused).toBe("Rename");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.getByRole("textbox", { name: "Title" }).evaluate((field) => field.matches(":focus")))
      .toBe(true);
  });

  test("an edit and a retry are branches to switch between; a fork is independent", async () => {
    const page = await open(await serve(answering()));
    await send(page, "First question");
    await ended(page, "done");
    const first = page.getByRole("article", { name: "You" });
    await first.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: /edit/i }).fill("Better question");
    await page.keyboard.press("Enter");
    await answerText(page, "Answer 2 begins and ends.").waitFor();
    await page.getByRole("button", { name: "Run again" }).click();
    await answerText(page, "Answer 3 begins and ends.").waitFor();
    expect(await answerText(page, /Answer [12] begins/).count()).toBe(0);
    await page.getByRole("article", { name: "Agent" }).getByRole("button", { name: "Earlier version" }).click();
    await answerText(page, "Answer 2 begins and ends.").waitFor();
    await page.reload();
    await answerText(page, "Answer 2 begins and ends.").waitFor();
    await first.getByRole("button", { name: "Earlier version" }).click();
    await answerText(page, "Answer 1 begins and ends.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("article", { name: "Agent" }).getByRole("button", { name: "Fork" }).click();
    await rows(page).nth(1).waitFor();
    await send(page, "Go on");
    await answerText(page, "Answer 4 begins and ends.").waitFor();
    await rows(page).nth(1).getByRole("button").first().click();
    await answerText(page, "Answer 1 begins and ends.").waitFor();
    expect(await answerText(page, "Answer 4 begins and ends.").count()).toBe(0);
  });

  test("a reload and another tab during a run continue exactly, and every entry is stored once", async () => {
    const gate = Promise.withResolvers<void>();
    const log = memory();
    const url = await serve(
      answering(() => gate.promise),
      { log },
    );
    const page = await open(url);
    await send(page, "Question");
    await answerText(page, "Answer 1 begins").waitFor();
    await page.reload();
    await answerText(page, "Answer 1 begins").waitFor();
    const other = await openBeside(page, page.url());
    await answerText(other, "Answer 1 begins").waitFor();
    gate.resolve();
    await answerText(other, "Answer 1 begins and ends.").waitFor();
    await page.bringToFront();
    await answerText(page, "Answer 1 begins and ends.").waitFor();
    await ended(page, "done");
    expect(await shownText(page)).toBe(await shownText(other));
    const [[run, entries] = ["", []]] = Object.entries(await keptRuns(page));
    expect(entries).toEqual(await log.read(run, 0, 1000));
  });

  test("what the page has shown is stored even if it is closed at once", async () => {
    const page = await open(await serve(answering(() => new Promise(() => {}))));
    let isClosed = false;
    await page.route(/\/runs\b/, (route) => (isClosed ? route.abort() : route.continue()));
    await page.evaluate(() => {
      const closeSoon = () => document.body.innerText.includes("Answer 1 begins") && location.reload();
      new MutationObserver(closeSoon).observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    page.on("request", (request) => (isClosed ||= request.isNavigationRequest()));
    await send(page, "Question");
    await expect.poll(() => isClosed, { timeout: 20_000 }).toBe(true);
    // The page has only what it has stored.
    await answerText(page, "Answer 1 begins").waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes("entries")))).toEqual([]);
  });

  test("cards outlive the run on the server; export and import transfer everything to another browser", async () => {
    const log = memory();
    const url = await serve(answering(), { log });
    const page = await open(url);
    await send(page, "Question");
    await ended(page, "done");
    const text = await download(page, () => sidebar(page).getByRole("button", { name: "Export all" }).click());
    expect(await log.retain({ maxRuns: 0 }, Date.now())).toBe(1);
    await page.reload();
    await answerText(page, "Answer 1 begins and ends.").waitFor();
    await page.getByRole("button", { name: /look/ }).first().click();
    await page.getByText("Seen by Answer 1").waitFor();
    const otherBrowser = await open(url);
    await otherBrowser.getByLabel("Conversation file").setInputFiles({
      name: "conversations.json",
      mimeType: "application/json",
      buffer: Buffer.from(text),
    });
    await sidebar(otherBrowser).getByText("1 conversation added.").waitFor();
    await titles(otherBrowser).click();
    await answerText(otherBrowser, "Answer 1 begins and ends.").waitFor();
    expect(
      JSON.parse(
        await download(otherBrowser, () => sidebar(otherBrowser).getByRole("button", { name: "Export all" }).click()),
      ),
    ).toEqual(JSON.parse(text));
    await otherBrowser.getByLabel("Conversation file").setInputFiles({
      name: "wrong.json",
      mimeType: "application/json",
      buffer: Buffer.from("{}"),
    });
    await sidebar(otherBrowser).getByText("wrong.json: this is not a conversation file").waitFor();
    expect(await violations(otherBrowser)).toEqual([]);
  });

  test(
    "a thousand of them are listed and searched, and a change draws only its own row again",
    { timeout: 300_000 },
    async () => {
      const page = await open("about:blank");
      await countRenders(page);
      await page.goto(await serve(answering()));
      const conversations = Array.from({ length: 1000 }, (_, index) => {
        const text = index === 7 ? "Where is the lighthouse?" : `Question ${index}`;
        const message = { id: `m${index}`, at: index, role: "user", content: [{ type: "text", text }] };
        const times = { createdAt: index, updatedAt: index };
        return { id: `c${index}`, title: `Subject ${index}`, named: true, ...times, chosen: {}, messages: [message] };
      });
      await page.getByLabel("Conversation file").setInputFiles({
        name: "thousand.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify({ format: "runcast-conversations", version: 2, conversations, runs: {} })),
      });
      await sidebar(page).getByText("1,000 conversations added.").waitFor({ timeout: 200_000 });
      await page.reload();
      await expect.poll(() => rows(page).count()).toBe(1000);
      await sidebar(page).getByRole("searchbox").fill("LIGHTHOUSE");
      await sidebar(page).getByText("1 conversation", { exact: true }).waitFor();
      expect(await rows(page).allInnerTexts()).toEqual(["Subject 7\nWhere is the lighthouse?"]);
      await sidebar(page).getByRole("searchbox").fill("");
      await expect.poll(() => rows(page).count()).toBe(1000);
      await rows(page).getByRole("button", { name: "Subject 500", exact: true }).press("F2");
      await calmRenders(page);
      await page.keyboard.type("The tide");
      await page.keyboard.press("Enter");
      await rows(page).getByRole("button", { name: "The tide", exact: true }).waitFor();
      expect(Math.max(...(await takeRenders(page)))).toBeLessThan(200);
    },
  );

  test("if the browser cannot store data, or is full, the page reports it and still works", async () => {
    const url = await serve(answering());
    const page = await open("about:blank");
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("not in a private window", "SecurityError");
      };
    });
    await page.goto(url);
    await sidebar(page).getByText("Conversations are stored only while this tab is open").waitFor();
    await send(page, "Question");
    await ended(page, "done");
    await rows(page).getByText("Question").waitFor();
    expect(await violations(page)).toEqual([]);

    const full = await open(url);
    await send(full, "Before");
    await ended(full, "done");
    // Simulates Chromium, which aborts the transaction. Its real quota cannot be set in a test.
    await full.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (...args) {
        if (!("isFull" in window)) return put.apply(this, args);
        throw new DOMException("no more room", "QuotaExceededError");
      };
      Object.assign(window, { isFull: true });
    });
    await send(full, "After");
    await answerText(full, "Answer 3 begins and ends.").waitFor();
    await sidebar(full).getByText("The browser's storage for this page is full.").waitFor();
    await full.evaluate(() => Reflect.deleteProperty(window, "isFull"));
    await send(full, "Room again");
    await answerText(full, "Answer 4 begins and ends.").waitFor();
    await sidebar(full).getByText("The browser's storage").waitFor({ state: "hidden" });
    await full.reload();
    for (const answer of ["Answer 2", "Answer 3", "Answer 4"])
      await answerText(full, `${answer} begins and ends.`).waitFor();
  });
});
