import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, composer, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { finishedCards } from "../web/cards-then-text.ts";
import { gallery } from "../web/gallery.ts";

const onCard = (page: Page, ask: string) => page.locator(`[data-run] [data-ask=${ask}]`);
/** The button that goes to the questions out of view. */
const askJump = (page: Page) => page.locator("[data-hidden-asks]");
const waiting = async (page: Page, count: number): Promise<void> =>
  await page.locator("[data-run-end=running]").getByText(`Waiting for you: ${count} open question`).waitFor();
const isFocused = (element: Locator) => element.evaluate((found) => found === document.activeElement);
const isInView = (element: Locator) =>
  element.evaluate((found) => {
    const { top, bottom } = found.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

describeInBrowser("the questions of a run", ({ serve, open, openBeside }: Browsing) => {
  const show = async (message: string, source: Source = gallery): Promise<Page> => {
    const page = await open(await serve(source));
    await send(page, message);
    return page;
  };

  test("questions are answered on their cards, in any order", async () => {
    const page = await show("asks");
    await waiting(page, 4);
    expect(await violations(page)).toEqual([]);

    const form = onCard(page, "four");
    await form.getByRole("button", { name: "Answer" }).click();
    await form.getByText("This field is required").waitFor();
    await form.getByLabel("Your name").fill("Ines");
    await form.getByLabel("age").fill("41");
    await form.getByLabel("Tuesday").check();
    await form.getByLabel("large").check();
    expect(await violations(page)).toEqual([]);
    await form.getByRole("button", { name: "Answer" }).click();
    await form.getByText("Answered").waitFor();
    await waiting(page, 3);
    expect(await form.locator("[data-answer]").innerText()).toBe(
      'Answered: name: Ines · age: 41 · nice: false · size: large · days: ["Tuesday"]',
    );

    await onCard(page, "three").getByRole("button", { name: "The second" }).click();
    await onCard(page, "three").getByText("Answered: The second").waitFor();
    await waiting(page, 2);

    const approval = onCard(page, "one");
    await approval.getByRole("button", { name: "Edit arguments" }).click();
    await approval.getByLabel("Arguments, as JSON").fill("{ not json");
    await approval.getByText("This is not valid JSON").waitFor();
    expect(await approval.getByRole("button", { name: "Allow with edits" }).isDisabled()).toBe(true);
    await approval.getByLabel("Arguments, as JSON").fill('{"query": "by hand"}');
    await approval.getByRole("button", { name: "Allow with edits" }).click();
    await page.locator('[data-node="ask one"]').getByText("Arguments (edited)").waitFor({ state: "attached" });

    await onCard(page, "two").getByRole("button", { name: "Yes" }).click();
    await ended(page, "done");
  });

  test("a question is on the page once, and a button goes to it only while it is out of view", async () => {
    const page = await show("x", cardsThenAsk);
    const card = page.locator("[data-node=q]");
    await card.waitFor();
    await expect.poll(() => isInView(card)).toBe(true);
    expect(await askJump(page).count()).toBe(0);
    expect(await page.getByText("Send the report?", { exact: true }).count()).toBe(1);

    await page.getByRole("region", { name: "Conversation" }).focus();
    await page.keyboard.press("a");
    await expect.poll(() => isFocused(card)).toBe(true);
    // The end is still kept in view.
    expect(await page.getByRole("button", { name: "Go to the end" }).count()).toBe(0);
    await page.getByRole("region", { name: "Conversation" }).focus();
    await page.keyboard.press("Home");
    await askJump(page).getByText("1 question waiting").waitFor();
    expect(await violations(page)).toEqual([]);
    await askJump(page).click();
    await expect.poll(() => isFocused(card)).toBe(true);
    await askJump(page).waitFor({ state: "detached" });

    await card.getByRole("button", { name: "Yes" }).click();
    await ended(page, "done");
  });

  test("the key a goes from question to question, and does nothing without one", async () => {
    const page = await show("asks");
    await waiting(page, 4);
    const conversation = page.getByRole("region", { name: "Conversation" });
    await conversation.focus();
    for (const ask of ["one", "two", "three", "four", "one"]) {
      await page.keyboard.press("a");
      await expect.poll(() => isFocused(page.locator(`[data-node="${ask}"]`))).toBe(true);
    }
    await page.keyboard.press("Escape");
    await ended(page, "cancelled");
    await conversation.focus();
    await page.keyboard.press("a");
    expect(await isFocused(conversation)).toBe(true);
  });

  test("the page of a run goes to a question, too", async () => {
    const page = await show("x", cardsThenAsk);
    await page.locator("[data-node=q]").waitFor();
    const run = await openBeside(page, await runUrl(page));
    await run.locator("[data-node=q]").waitFor();
    await run.getByRole("main", { name: "Run" }).focus();
    await run.keyboard.press("Home");
    const { x, y } = (await askJump(run).boundingBox())!;
    const beside = { x: x - 20, y: y + 5 };
    const isFree = ({ x: left, y: top }: typeof beside) =>
      document.elementFromPoint(left, top)?.closest("main") !== null;
    expect(await run.evaluate(isFree, beside)).toBe(true);
    await askJump(run).click();
    await expect.poll(() => isFocused(run.locator("[data-node=q]"))).toBe(true);
  });

  test("Esc in a field of a question leaves the field, with what was entered; outside it stops the run", async () => {
    const page = await show("asks");
    await onCard(page, "one").getByRole("button", { name: "Edit arguments" }).click();
    const edited = onCard(page, "one").getByLabel("Arguments, as JSON");
    for (const field of [edited, onCard(page, "four").getByLabel("Your name")]) {
      await field.fill('{"query": "by hand"}');
      await field.press("Escape");
      expect(await isFocused(field)).toBe(false);
      expect(await field.inputValue()).toBe('{"query": "by hand"}');
    }
    await page.getByRole("button", { name: /tools/i }).first().click();
    const search = page.locator("[data-panel]").getByLabel("Search arguments and results");
    await search.fill("nothing like that");
    await search.press("Escape");
    expect(await search.inputValue()).toBe("");
    // A cancel would have reached the server before this answer.
    await onCard(page, "two").getByRole("button", { name: "Yes" }).click();
    await waiting(page, 3);
    await edited.focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await ended(page, "cancelled");
  });

  test("an answer by someone else closes the question", async () => {
    const page = await show("asks");
    await waiting(page, 4);
    const other = await openBeside(page, await runUrl(page));
    await other.locator("[data-ask=two]").getByRole("button", { name: "No" }).click();
    await onCard(page, "two").getByText("No", { exact: true }).waitFor({ state: "attached" });
    await waiting(page, 3);
  });

  test.each([
    ["allowed", ["Reason (optional)", "Allow"], "ok"],
    ["denied with a reason", ["Reason (optional)", "Allow", "Deny"], "denied"],
  ])("a call is %s with the keyboard alone", async (_, fields, outcome) => {
    const page = await open(await serve(demoAgent({ speed: 30 })));
    await composer(page).focus();
    await page.keyboard.type("Send the report, but ask for my approval first");
    await page.keyboard.press("Enter");
    const question = page.getByRole("group", { name: "Question for you" });
    await question.getByRole("button", { name: "Allow", exact: true }).waitFor();
    // Out of the field, where `a` is a letter.
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("a");
    await expect.poll(() => isFocused(question)).toBe(true);
    for (const field of fields) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);
      expect(name).toBe(field);
      if (name === "Reason (optional)" && outcome === "denied") await page.keyboard.type("Not today");
    }
    await page.keyboard.press("Enter");
    await ended(page, "done");
    const card = page.getByRole("article", { name: "Tool send_report" });
    expect(await card.getAttribute("data-call")).toBe(outcome);
    if (outcome !== "denied") return;
    await card.getByRole("button", { expanded: false }).first().press("Enter");
    await card.getByText("Denied: Not today").waitFor();
  });

  test("an allowed call runs as the agent requested it", async () => {
    const page = await show("Send the report, but ask for my approval first", demoAgent({ speed: 30 }));
    const card = page.getByRole("article", { name: "Tool send_report" });
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await ended(page, "done");
    expect(await card.getAttribute("data-call")).toBe("ok");
    await card.getByRole("button", { expanded: false }).first().click();
    await card.getByText("Allowed", { exact: true }).waitFor();
    expect(await card.getByText("Arguments (edited)").count()).toBe(0);
  });

  test("a denial has a reason, and the call shows it", async () => {
    const page = await show("Send the report, but ask for my approval first", demoAgent({ speed: 30 }));
    await page.getByLabel("Reason (optional)").fill("Not today");
    await page.getByRole("button", { name: "Deny" }).click();
    await ended(page, "done");
    const card = page.getByRole("article", { name: "Tool send_report" });
    expect(await card.getAttribute("data-call")).toBe("denied");
    await card.getByRole("button", { expanded: false }).first().click();
    await card.getByText("Denied: Not today").waitFor();
  });
});

const runUrl = async (page: Page): Promise<string> => {
  const { runs } = (await page.evaluate(async () => await (await fetch("runs")).json())) as { runs: { run: string }[] };
  return `${new URL(page.url()).origin}/?run=${runs[0]!.run}`;
};

/** More than a screen of finished cards, then a question. */
const cardsThenAsk: Source = async function* (_, { answerTo }) {
  yield* finishedCards(20);
  yield { type: "ask-start", ask: "q", kind: "confirmation", title: "Send the report?" };
  await answerTo("q");
};
