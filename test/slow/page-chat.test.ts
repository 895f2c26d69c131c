import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { RunRequest, Source } from "../../src/source.ts";
import { type Browsing, composer, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { storeRun } from "../stored-runs.ts";

/** Answers each request when the test allows it. */
const echo = () => {
  const requests: RunRequest[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const source: Source = async function* (request, { signal }) {
    const gate = Promise.withResolvers<void>();
    requests.push(request);
    gates.push(gate);
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: `Answer ${requests.length} ` };
    await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    yield { type: "text-delta", part: "p", delta: `is done` };
  };
  return { source, requests, finish: (index: number) => gates[index]!.resolve() };
};

const lastWords = ({ messages }: RunRequest): unknown => messages.at(-1)?.content[0];
const shown = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
const announced = (page: Page) => page.getByRole("log").locator("p").allInnerTexts();

describeInBrowser("chat on the page", ({ serve, open }: Browsing) => {
  test("Enter sends, Shift+Enter starts a new line, and each request has the whole history", async () => {
    const { source, requests, finish } = echo();
    const page = await open(await serve(source));
    await composer(page).fill("one");
    await composer(page).press("Shift+Enter");
    await composer(page).pressSequentially("two");
    expect(await composer(page).inputValue()).toBe("one\ntwo");
    await composer(page).press("Enter");
    await shown(page, "Answer 1");
    expect(await composer(page).inputValue()).toBe("");
    finish(0);
    await ended(page, "done");
    await send(page, "three");
    await shown(page, "Answer 2");
    finish(1);
    await ended(page, "done");
    expect(requests[1]!.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "one\ntwo" }] },
      { role: "assistant", content: [{ type: "text", text: "Answer 1 is done" }] },
      { role: "user", content: [{ type: "text", text: "three" }] },
    ]);
  });

  test("messages queue while the agent works and are sent one after the other, but not after a stop", async () => {
    const { source, requests, finish } = echo();
    const page = await open(await serve(source));
    await send(page, "first");
    await shown(page, "Answer 1");
    for (const text of ["second", "not wanted", "third", "fourth"]) await send(page, text);
    const queue = page.getByRole("region", { name: "Queued messages" });
    expect(await queue.getByRole("listitem").allInnerTexts()).toEqual(["second", "not wanted", "third", "fourth"]);
    await queue.getByRole("button", { name: "Remove queued message 2" }).click();
    expect(await violations(page)).toEqual([]);
    finish(0);
    await shown(page, "Answer 2");
    expect(requests.map(lastWords)).toMatchObject([{ text: "first" }, { text: "second" }]);
    await page.reload();
    await shown(page, "Answer 2");
    expect(await queue.getByRole("listitem").allInnerTexts()).toEqual(["third", "fourth"]);
    await composer(page).press("Escape");
    await ended(page, "cancelled");
    await queue.getByText("On hold because the last run did not finish").waitFor();
    expect(requests).toHaveLength(2);
    await queue.getByRole("button", { name: "Edit queued message 2" }).click();
    expect(await composer(page).inputValue()).toBe("fourth");
    await queue.getByRole("button", { name: "Send next" }).click();
    await shown(page, "Answer 3");
    expect(lastWords(requests[2]!)).toMatchObject({ text: "third" });
    finish(2);
    await ended(page, "done");
  });

  test("Esc stops the run, Stop one call", async () => {
    // At the usual speed, the call would end by itself after four seconds.
    const page = await open(await serve(demoAgent({ speed: 3 })));
    await send(page, "Start something slow that I can stop");
    await page.locator("[data-state=executing]").first().waitFor();
    await page.getByRole("button", { name: /Stop watch_deploy/ }).click();
    await ended(page, "done");
    expect(await page.locator("[data-state=cancelled]").count()).toBeGreaterThan(0);
    await send(page, "Start something slow that I can stop");
    await page.locator("[data-state=executing]").first().waitFor();
    await page.keyboard.press("Escape");
    await ended(page, "cancelled");
    expect(await page.locator("[data-state=executing], [data-state=pending]").count()).toBe(0);
    await page.locator("[data-connection=finished]").getByText("Cancelled").waitFor();
    await page.locator("[data-run-end=cancelled]").getByText("The run was stopped.").waitFor();
    // A cancel by the user is not shown as a failure.
    expect(await page.locator("article").last().locator(".text-bad").count()).toBe(0);
  });

  test("j and k go from step to step, ? lists the keys, / focuses the composer", async () => {
    const page = await open(await serve());
    await send(page, "How is Lantern doing?");
    await ended(page, "done");
    await page.getByRole("region", { name: "Conversation" }).focus();
    const focused = () =>
      page.evaluate(() => (document.activeElement?.closest("[data-node], [data-message]") as HTMLElement)?.innerText);
    const visited: string[] = [];
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press("j");
      visited.push(await focused());
    }
    expect(new Set(visited).size).toBe(4);
    await page.keyboard.press("k");
    expect(await focused()).toBe(visited[2]);
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.getByText("Go to the next step").waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel("Use single-key shortcuts").uncheck();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await dialog.getByLabel("Use single-key shortcuts").check();
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Conversation" }).focus();
    await page.keyboard.press("/");
    expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type("?j");
    expect(await composer(page).inputValue()).toBe("?j");
  });

  test("a screen reader gets each finished message, outcome and approval once, and nothing again after a reload", async () => {
    const url = await serve();
    const page = await open(url);
    await send(page, "Send the report, but ask for my approval first");
    await page
      .getByRole("button", { name: /^Allow/ })
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: /^Allow/ }).count()).toBe(1);
    // The composer's; the card offers Deny.
    expect(await page.getByRole("button", { name: /^Stop/ }).count()).toBe(1);
    const count = async (beginning: string) =>
      (await announced(page)).filter((text) => text.startsWith(beginning)).length;
    for (const beginning of ["Waiting for you: ", "The report is short."])
      await expect.poll(() => count(beginning)).toBe(1);
    await page.reload();
    await page.getByRole("button", { name: /^Deny/ }).first().waitFor();
    expect(await announced(page)).toEqual([]);
    await page.getByRole("button", { name: /^Deny/ }).first().click();
    await ended(page, "done");
    for (const beginning of ["send_report: denied", "Nothing was sent"])
      await expect.poll(() => count(beginning)).toBe(1);
    const later = await announced(page);
    expect(new Set(later).size).toBe(later.length);
    // What was announced before the reload.
    expect(await count("The report is short.")).toBe(0);
  });

  test("a screen reader gets nothing of a run that ended long ago", async () => {
    const log = memory();
    await storeRun(log, { run: "old", thread: "t", user: "ann", message: "Hello", answer: "It was so.", at: 1000 });
    const page = await open(`${await serve(undefined, { log })}/?run=old`);
    await ended(page, "done");
    await shown(page, "It was so.");
    expect(await announced(page)).toEqual([]);
  });

  test("a failed run shows the reason, and offers a retry only if it can help", async () => {
    const attempts: boolean[] = [];
    const source: Source = async function* () {
      const retryable = attempts.push(true) === 1;
      yield { type: "step-start", step: "s" };
      const message = retryable ? "the model is busy" : "the model is not allowed";
      const hint = retryable ? "wait a moment" : "ask for access";
      yield { type: "run-end", outcome: "error", error: { code: "x", message, hint, retryable } };
    };
    const page = await open(await serve(source));
    await send(page, "hello");
    await ended(page, "error");
    await page.locator("[data-problem]").getByText("the model is busy").waitFor();
    expect(await violations(page)).toEqual([]);
    // The same command twice would be noise.
    expect(await page.getByRole("button", { name: "Run again" }).count()).toBe(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("[data-problem]").getByText("the model is not allowed").waitFor();
    await page.getByText("ask for access").waitFor();
    await page.getByText(/would fail again/).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(attempts).toHaveLength(2);
  });

  test("a refused request shows the server's message", async () => {
    const page = await open(await serve(undefined, { limits: { concurrentRuns: 1, bodyBytes: 300 } }));
    await send(page, "x".repeat(400));
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toMatch(/300[^]*A retry would not help/);
    await page.locator("[data-connection=failed]").getByText("Refused").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Stop the run" }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });
});
