import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { native } from "../../src/dialects/native.ts";
import { openaiChat } from "../../src/dialects/openai-chat.ts";
import { memory } from "../../src/logs/memory.ts";
import { type Source, describeAgent } from "../../src/source.ts";
import { askingAgent } from "../asking-agent.ts";
import { boardSource } from "../board-source.ts";
import { type Browsing, describeInBrowser, violations } from "../browsing.ts";
import { post } from "../serving.ts";

const keys = [
  { name: "ann", key: "the-key-of-ann" },
  { name: "bob", key: "the-key-of-bob" },
  { name: "root", key: "the-key-of-root", rights: ["start", "watch", "answer", "admin"] as const },
  { name: "viewer", key: "the-key-of-viewer", user: "bob", rights: ["watch"] as const },
  { name: "starter", key: "the-key-of-starter", rights: ["start"] as const },
];
const agents: Record<string, Source> = {
  writer: describeAgent(boardSource, { description: "Writes." }),
  reader: describeAgent(boardSource, { description: "Reads." }),
};

const begin = async (
  url: string,
  message: string,
  { key, agent = "writer" }: { key?: string; agent?: string } = {},
) => {
  const headers = { accept: "application/json", ...(key && { authorization: `Bearer the-key-of-${key}` }) };
  const response = await post(`${url}/runs`, { message, agent }, headers);
  expect(response.status).toBe(202);
  return ((await response.json()) as { run: string }).run;
};
const row = (page: Page, title: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("link", { name: title, exact: true }) });
const titles = (page: Page) => page.locator("[data-row-link]").allInnerTexts();
const says = (page: Page, title: string, words: string | RegExp) => row(page, title).getByText(words).first().waitFor();

describeInBrowser("the board of runs", ({ serve, open }: Browsing) => {
  const signedIn = async (url: string, key: string, options = {}) => {
    const page = await open(`${url}/?board=1`, options);
    await page.getByLabel("Key or token").fill(`the-key-of-${key}`);
    await page.keyboard.press("Enter");
    return page;
  };

  test("runs of every client appear and change without a reload, with one request for any number of runs", async () => {
    const url = await serve(undefined, { agents, dialects: [native, openaiChat] });
    const page = await open(url);
    await page.getByRole("button", { name: "All runs" }).click();
    await page.getByText("No runs yet.").waitFor();
    expect(await violations(page)).toEqual([]);
    await begin(url, "Work on the report");
    await begin(url, "Please fail");
    await post(`${url}/v1/chat/completions`, {
      model: "reader",
      messages: [{ role: "user", content: "Said over the API" }],
    });
    await says(page, "Work on the report", "Reading 214 files");
    await says(page, "Please fail", /quota is used up/);
    await says(page, "Said over the API", "done");
    expect(await titles(page)).toEqual(["Said over the API", "Please fail", "Work on the report"]);
    await begin(url, "Ask for too much");
    await says(page, "Ask for too much", "cut off");
    await says(page, "Ask for too much", "The answer is incomplete: the model reached its output token limit.");
    expect(await row(page, "Ask for too much").locator("[data-state]").getAttribute("data-state")).toBe("cut");
    for (const words of ["working", /· writer · just now · 1,536 tokens/])
      await says(page, "Work on the report", words);
    await page.getByText("1 working").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await begin(url, "Approve this");
    await says(page, "Approve this", "waiting for you");
    expect(new Set(asked)).toEqual(new Set(["/changes"]));
    await page.getByText("1 working, 1 waiting for a user").waitFor();
  });

  test("a run is stopped, answered and opened from the list", async () => {
    const url = await serve(undefined, { agents });
    await begin(url, "Work on the report");
    await begin(url, "Approve this");
    const page = await open(`${url}/?board=1`);
    await page.getByRole("button", { name: "Stop Work on the report" }).click();
    await says(page, "Work on the report", "cancelled");
    await page.getByRole("button", { name: "Answer Approve this" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve this" });
    await dialog.getByText("team@example.org").waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await dialog.waitFor({ state: "detached" });
    await says(page, "Approve this", "done");
    await page.getByRole("link", { name: "Approve this" }).click();
    await page.locator("[data-run-end=done]").waitFor();
    await page.goBack();
    await says(page, "Approve this", "done");
  });

  test("an approval from the list says that its call has no arguments", async () => {
    const url = await serve(askingAgent("Go", "pay"));
    await begin(url, "Go", { agent: "demo" });
    const page = await open(`${url}/?board=1`);
    await page.getByRole("button", { name: "Answer Go" }).click();
    await page.getByRole("dialog", { name: "Go" }).getByText("No arguments").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("the server filters and searches, the URL keeps the filter, and an empty result is explained", async () => {
    const url = await serve(undefined, { agents });
    await begin(url, "Work on the report");
    await begin(url, "Approve this", { agent: "reader" });
    await begin(url, "Say hello");
    const page = await open(`${url}/?board=1`);
    await says(page, "Approve this", "waiting");
    await page.getByLabel("State").selectOption("waiting");
    await expect.poll(() => titles(page)).toEqual(["Approve this"]);
    await page.reload();
    await expect.poll(() => titles(page)).toEqual(["Approve this"]);
    await page.getByLabel("State").selectOption("");
    await page.getByLabel("Agent").selectOption("writer");
    await expect.poll(() => titles(page)).toEqual(["Say hello", "Work on the report"]);
    await page.getByLabel("Search runs").fill("REPORT");
    await expect.poll(() => titles(page)).toEqual(["Work on the report"]);
    await page.getByLabel("Search runs").fill("nothing like it");
    await page.getByText("No matching runs.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Show all runs" }).click();
    await expect.poll(() => titles(page)).toHaveLength(3);
    expect(await page.getByLabel("Search runs").inputValue()).toBe("");
    // Rows that now match appear, and rows that no longer match disappear.
    await page.getByLabel("State").selectOption("open");
    await expect.poll(() => titles(page)).toEqual(["Approve this", "Work on the report"]);
    await begin(url, "Work some more");
    await expect.poll(() => titles(page)).toEqual(["Work some more", "Approve this", "Work on the report"]);
    await page.getByRole("button", { name: "Stop Work some more" }).click();
    await page.mouse.move(0, 0);
    await page.getByLabel("State").focus();
    await expect.poll(() => titles(page)).toEqual(["Approve this", "Work on the report"]);
  });

  test("users see their own runs, admin sees everyone's; a user who may only watch gets no buttons", async () => {
    const url = await serve(undefined, { agents, keys });
    await begin(url, "Approve for Ann", { key: "ann" });
    await begin(url, "Approve for Bob", { key: "bob" });
    await begin(url, "Own of root", { key: "root" });
    const bob = await signedIn(url, "bob");
    await says(bob, "Approve for Bob", "waiting for you");
    expect(await titles(bob)).toEqual(["Approve for Bob"]);
    expect(await bob.getByRole("group", { name: "Owner" }).count()).toBe(0);
    const root = await signedIn(url, "root");
    await says(root, "Approve for Bob", "waiting for bob");
    await says(root, "Own of root", /· writer · by root · just now/);
    expect(await titles(root)).toEqual(["Own of root", "Approve for Bob", "Approve for Ann"]);
    await root.getByRole("button", { name: "Mine" }).click();
    await expect.poll(() => titles(root)).toEqual(["Own of root"]);
    await root.getByRole("button", { name: "Everyone" }).click();
    await root.getByRole("button", { name: "Answer Approve for Bob" }).click();
    await root.getByRole("dialog").getByRole("button", { name: "Deny" }).first().click();
    await says(bob, "Approve for Bob", "done");
    const viewer = await signedIn(url, "viewer");
    await viewer.getByRole("link", { name: "Approve for Bob" }).waitFor();
    await begin(url, "Work for Bob", { key: "bob" });
    await says(viewer, "Work for Bob", "working");
    expect(await viewer.getByRole("button", { name: /^(Stop|Answer)/ }).count()).toBe(0);
    const starter = await signedIn(url, "starter");
    expect(await starter.getByRole("alert").innerText()).toMatch(/does not allow you to watch/i);
    expect(await starter.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await violations(starter)).toEqual([]);
  });

  test("a lost server is reported, rows stay with stopped clocks, and the list recovers automatically", async () => {
    const url = await serve(undefined, { agents });
    await begin(url, "Work on the report");
    const page = await open(`${url}/?board=1`);
    await says(page, "Work on the report", "working");
    await page.context().setOffline(true);
    await page.getByRole("alert").getByText("The server cannot be reached.").waitFor();
    await page.getByText("Not up to date").waitFor();
    const time = row(page, "Work on the report").locator("[data-elapsed]");
    const stood = await time.innerText();
    expect(await violations(page)).toEqual([]);
    await begin(url, "Begun meanwhile");
    // A clock that still runs shows another second by then.
    await page.waitForTimeout(1500);
    expect(await time.innerText()).toBe(stood);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor();
    await page.context().setOffline(false);
    await says(page, "Begun meanwhile", "done");
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("a run that is deleted elsewhere disappears, open or ended", async () => {
    const url = await serve(undefined, { agents });
    const runs = [];
    for (const message of ["Say one", "Say two", "Work three"]) runs.push(await begin(url, message));
    const page = await open(`${url}/?board=1`);
    await says(page, "Say one", "done");
    for (const run of [runs[0]!, runs[2]!])
      expect((await fetch(`${url}/runs/${run}`, { method: "DELETE" })).status).toBe(200);
    await expect.poll(() => titles(page)).toEqual(["Say two"]);
  });

  test("a search finds the oldest of many runs without another press", async () => {
    const log = memory({ maxRuns: 5000 });
    for (let index = 0; index < 3500; index++)
      await log.append(`r${index}`, [
        {
          seq: 1,
          at: index,
          event: {
            type: "run-start",
            run: `r${index}`,
            protocol: 2,
            name: "writer",
            message: { role: "user", content: [{ type: "text", text: index === 3 ? "The needle" : "Hay" }] },
          },
        },
        { seq: 2, at: index, event: { type: "run-end", outcome: "done" } },
      ]);
    const url = await serve(undefined, { agents, log });
    const page = await open(`${url}/?board=1`);
    await page.getByRole("link", { name: "Hay" }).first().waitFor();
    await page.getByLabel("Search runs").fill("needle");
    await page.getByRole("link", { name: "The needle" }).waitFor();
    expect(await titles(page)).toEqual(["The needle"]);
    await page.getByLabel("Search runs").fill("nothing like it");
    await page.getByText("No matching runs.").waitFor();
  });

  test("no row moves under the pointer or the focus: new runs wait behind a button", async () => {
    const url = await serve(undefined, { agents });
    await begin(url, "Work on the report");
    const page = await open(`${url}/?board=1`);
    await row(page, "Work on the report").hover();
    await begin(url, "Begun later");
    await page.getByRole("button", { name: "Show 1 new run" }).waitFor();
    expect(await titles(page)).toEqual(["Work on the report"]);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Show 1 new run" }).click();
    expect(await titles(page)).toEqual(["Begun later", "Work on the report"]);
    await page.mouse.move(0, 0);
    await page.getByRole("link", { name: "Begun later" }).focus();
    await begin(url, "Begun last");
    await page.getByRole("button", { name: "Show 1 new run" }).waitFor();
    expect(await titles(page)).toEqual(["Begun later", "Work on the report"]);
  });

  test("by keyboard alone", async () => {
    const url = await serve(undefined, { agents });
    for (const message of ["Say one", "Approve two", "Work three"]) await begin(url, message);
    const page = await open(url);
    // The page must have loaded before it can react to keys.
    await page.getByRole("button", { name: "All runs" }).waitFor();
    await page.locator("body").press("r");
    await says(page, "Approve two", "waiting");
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent);
    await page.keyboard.press("j");
    expect(await focused()).toBe("Work three");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Stop Work three");
    await page.keyboard.press("Enter");
    await says(page, "Work three", "cancelled");
    await page.getByRole("link", { name: "Work three" }).focus();
    await page.keyboard.press("j");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Answer Approve two");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("team@example.org").waitFor();
    await page.keyboard.press("Escape");
    expect(await focused()).toBe("Answer Approve two");
    await page.keyboard.press("k");
    expect(await focused()).toBe("Work three");
    await page.keyboard.press("/");
    await page.keyboard.type("one");
    await expect.poll(() => titles(page)).toEqual(["Say one"]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator("[data-run-end=done]").waitFor();
  });

  test("long lists load page by page as the user scrolls, and have few elements", async () => {
    const url = await serve(undefined, { agents });
    for (let index = 0; index < 250; index++) await begin(url, `Say ${index}`);
    const page = await open(`${url}/?board=1`);
    await page.getByRole("link", { name: "Say 249" }).waitFor();
    const box = page.getByRole("list", { name: "Runs" }).locator("..");
    await expect
      .poll(async () => {
        await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return await page.getByRole("link", { name: "Say 0", exact: true }).count();
      })
      .toBe(1);
    expect(await page.getByRole("listitem").count()).toBeLessThan(60);
    expect(await page.getByRole("listitem").last().getAttribute("aria-setsize")).toBe("250");
  });

  test.each([
    ["in dark mode", { colorScheme: "dark" as const }],
    ["on a phone", { viewport: { width: 390, height: 780 } }],
  ])("%s: nothing for axe to find, nothing wider than the page", async (_, options) => {
    const url = await serve(undefined, { agents });
    for (const message of [
      "Say one",
      "Please fail",
      "Approve the mail to everybody who has asked for the report this week",
      "Work three",
    ])
      await begin(url, message);
    const page = await open(`${url}/?board=1`, options);
    await page.getByRole("button", { name: /^Answer Approve/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.getByRole("button", { name: /^Answer Approve/ }).click();
    await page.getByRole("dialog").getByText("team@example.org").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });
});
