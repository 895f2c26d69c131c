import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Message } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, composer, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { storeRun } from "../stored-runs.ts";
import { startIssuer } from "../token-issuer.ts";

const ALICE = "the-key-of-alice";
const keys = [
  { name: "alice", key: ALICE },
  { name: "bob", key: "the-key-of-bob" },
];

/** Answers with its number, and notes what it was asked. */
const counter = (asked: Message[][] = []): Source =>
  async function* ({ messages }) {
    asked.push([...messages]);
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: `Answer number ${asked.length}` };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s", finish: "stop" };
  };

const list = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const rows = (page: Page) => list(page).getByRole("listitem");
const answer = (page: Page, text: string) => page.getByRole("article", { name: "Agent" }).getByText(text);
const textsOf = (messages: readonly Message[]) =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])));

describeInBrowser("the history of a signed-in user", ({ serve, open }: Browsing) => {
  const signedIn = async (url: string, key = ALICE, options: BrowserContextOptions = {}) => {
    const page = await open(url, options);
    await page.getByLabel("Key or token").fill(key);
    await page.keyboard.press("Enter");
    await composer(page).waitFor();
    return page;
  };

  test("a conversation continues in another browser, and then in the first one again", async () => {
    const asked: Message[][] = [];
    const url = await serve(counter(asked), { keys });
    const office = await signedIn(url);
    await send(office, "How deep is the sea?");
    await answer(office, "Answer number 1").waitFor();
    await send(office, "And how wide?");
    await answer(office, "Answer number 2").waitFor();
    await ended(office, "done");

    const home = await signedIn(url);
    await rows(home).getByText("How deep is the sea?").click();
    for (const number of [1, 2]) await answer(home, `Answer number ${number}`).waitFor();
    await ended(home, "done");
    await send(home, "And how cold?");
    await answer(home, "Answer number 3").waitFor();
    await ended(home, "done");
    expect(textsOf(asked[2]!)).toEqual([
      "How deep is the sea?",
      "Answer number 1",
      "And how wide?",
      "Answer number 2",
      "And how cold?",
    ]);
    expect(await rows(home).count()).toBe(1);
    await home.reload();
    await answer(home, "Answer number 3").waitFor();
    expect(await rows(home).count()).toBe(1);

    await office.reload();
    await answer(office, "Answer number 3").waitFor();
    expect(await rows(office).count()).toBe(1);
  });

  test("a run in progress is followed live in the other browser", async () => {
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const url = await serve(
      async function* () {
        yield { type: "step-start", step: "s" };
        yield { type: "text-start", part: "p" };
        yield { type: "text-delta", part: "p", delta: "It begins" };
        await gate;
        yield { type: "text-delta", part: "p", delta: " and ends." };
      },
      { keys },
    );
    const office = await signedIn(url);
    await send(office, "Go on");
    await answer(office, "It begins").waitFor();
    const home = await signedIn(url);
    await rows(home).getByText("Go on").click();
    await answer(home, "It begins").waitFor();
    await home.getByRole("button", { name: "Stop the run" }).waitFor();
    go();
    await answer(home, "It begins and ends.").waitFor();
    await ended(home, "done");
  });

  test("what was deleted stays deleted; a token signs in; another user sees nothing", async () => {
    const issuer = await startIssuer();
    const url = await serve(counter(), { keys, jwt: issuer.options });
    const token = await issuer.sign({ sub: "carol" });
    const office = await signedIn(url, token);
    await send(office, "Remember this");
    await ended(office, "done");

    const home = await signedIn(url, token);
    await rows(home).getByText("Remember this").waitFor();
    await list(home).getByRole("button", { name: "More actions for Remember this" }).click();
    await home.getByRole("menuitem", { name: "Delete", exact: true }).click();
    await expect.poll(() => rows(home).count()).toBe(0);
    await list(home).getByRole("button", { name: "Undo" }).click();
    await rows(home).getByText("Remember this").click();
    await answer(home, "Answer number 1").waitFor();
    await list(home).getByRole("button", { name: "More actions for Remember this" }).click();
    await home.getByRole("menuitem", { name: "Delete", exact: true }).click();
    // The row disappears when the deletion is stored.
    await expect.poll(() => rows(home).count()).toBe(0);
    await home.reload();
    await composer(home).waitFor();
    await list(home).getByText("Your conversations appear here").waitFor();
    expect(await rows(home).count()).toBe(0);

    const other = await signedIn(url, "the-key-of-bob");
    await list(other).getByText("Your conversations appear here").waitFor();
  });

  test("loading and an unreachable server are reported, and the list loads with the next attempt", async () => {
    const url = await serve(counter(), { keys });
    await createClient({ url, key: ALICE }).start({ message: "From elsewhere", thread: "t" }).finished;
    const page = await open(url);
    const held = Promise.withResolvers<void>();
    await page.context().route(/\/threads/, async (route) => {
      await held.promise;
      await route.abort();
    });
    await page.getByLabel("Key or token").fill(ALICE);
    await page.keyboard.press("Enter");
    await list(page).getByText("Loading conversations…").waitFor();
    held.resolve();
    await list(page).getByText("The server's conversations could not be loaded.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${url}/?chat=t`);
    await page.getByText("the conversation could not be loaded from the server", { exact: false }).waitFor();
    await page.context().unroute(/\/threads/);
    await page.getByRole("main").getByRole("button", { name: "Try again" }).click();
    await answer(page, "Answer number 1").waitFor();
    await expect.poll(() => rows(page).count()).toBe(1);
  });

  test("without users, the page does not ask for threads", async () => {
    const url = await serve(counter());
    const page = await open("about:blank");
    const paths: string[] = [];
    page.on("request", (request) => paths.push(new URL(request.url()).pathname));
    await page.goto(url);
    await send(page, "Hello");
    await ended(page, "done");
    expect(paths).toContain("/me");
    expect(paths.filter((path) => path.startsWith("/threads"))).toEqual([]);
    expect(await rows(page).count()).toBe(1);
    // The conversations stay open while the user looks at the board.
    await page.getByRole("button", { name: "All runs" }).click();
    await page.getByRole("list", { name: "Runs" }).waitFor();
    await page.goBack();
    await ended(page, "done");
    expect(paths.filter((path) => path === "/me")).toHaveLength(1);
  });

  test.each<[string, number, BrowserContextOptions]>([
    ["in the light", 1000, {}],
    ["in dark mode", 100, { colorScheme: "dark" }],
    ["on a phone", 100, { viewport: { width: 390, height: 844 } }],
  ])("all conversations can be reached with the keyboard alone, %s, %i of them", async (_, count, options) => {
    const log = memory();
    const url = await serve(counter(), { keys, log });
    const since = Date.now() - 1000 * count;
    for (let index = 0; index < count; index++) {
      const [message, answered] = [`Question ${index}`, `Answer number ${index + 1}`];
      const run = { run: `r${index}`, thread: `t${index}`, user: "alice", message, answer: answered };
      await storeRun(log, { ...run, at: since + 1000 * index });
    }
    const page = await signedIn(url, ALICE, options);
    if (options.viewport) await page.getByRole("button", { name: "Conversations", exact: true }).press("Enter");
    await expect.poll(() => rows(page).count()).toBe(50);
    expect(await violations(page)).toEqual([]);
    const more = list(page).getByRole("button", { name: "Show older conversations" });
    await more.focus();
    for (let shown = 50; shown < count;) {
      shown = Math.min(count, shown + 200);
      await page.keyboard.press("Enter");
      await expect.poll(() => rows(page).count()).toBe(shown);
    }
    await expect.poll(() => more.count()).toBe(0);
    const first = rows(page).getByRole("button", { name: "Question 0", exact: true });
    await first.focus();
    await page.keyboard.press("Enter");
    await answer(page, "Answer number 1").first().waitFor();
    // axe takes long for many rows, and they are all alike.
    if (count <= 100) expect(await violations(page)).toEqual([]);
  });
});
