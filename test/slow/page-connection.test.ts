import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { native } from "../../src/dialects/native.ts";
import type { Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, setHidden, violations } from "../browsing.ts";
import { type DisconnectingProxy, startDisconnectingProxy } from "../disconnecting-proxy.ts";
import { startCuttingProxy } from "../cutting-proxy.ts";
import { randomFrom } from "../random.ts";
import { onStop, start, until } from "../serving.ts";

const status = (page: Page, name: string) => page.locator(`[data-connection=${name}]`).waitFor();

const proxyTo = async (url: string): Promise<DisconnectingProxy> => {
  const made = await startDisconnectingProxy(url);
  onStop(made.close);
  return made;
};

/** The number of open streams. */
const viewers = async (url: string): Promise<number> =>
  Number(/^runcast_viewers (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

/** The visible answer, without parts that depend on the clock. */
const contentOf = async (page: Page): Promise<string> =>
  (await page.locator("article").last().innerText()).replaceAll(/\d[\d.,]* (?:ms|s|min)\b/g, "some time");

/** The number of spinners in the run that turn. */
const spinning = (page: Page): Promise<number> =>
  page
    .locator("[data-run] .animate-spin")
    .evaluateAll((icons) => icons.filter((icon) => getComputedStyle(icon).animationName !== "none").length);

/** A run that contains every kind of item, long enough to be cut often. */
function* story(): Generator<Event> {
  for (let step = 0; step < 12; step++) {
    yield { type: "step-start", step: `s${step}` };
    yield { type: "thinking-start", part: `t${step}` };
    for (let word = 0; word < 5; word++) yield { type: "thinking-delta", part: `t${step}`, delta: `thought ${word} ` };
    yield { type: "thinking-end", part: `t${step}` };
    yield { type: "text-start", part: `p${step}` };
    for (let word = 0; word < 12; word++)
      yield { type: "text-delta", part: `p${step}`, delta: word % 4 === 3 ? `**${word}**\n\n- item ` : `word${word} ` };
    yield { type: "text-end", part: `p${step}` };
    const call = `c${step}`;
    yield { type: "tool-start", call, name: step % 3 === 0 ? "task" : "look" };
    for (const delta of ['{"wh', 'at":', `"${step}"}`]) yield { type: "tool-input-delta", call, delta };
    yield { type: "tool-input-end", call };
    yield { type: "step-end", step: `s${step}`, finish: "tools" };
    yield { type: "tool-execute", call };
    if (step % 3 === 0) yield* helper(call, `a${step}`);
    yield { type: "tool-output-delta", call, stream: "stdout", delta: `line of ${step}\n` };
    const outcome = step % 4 === 1 ? "error" : "ok";
    const error = { code: "x", message: `call ${step} failed` };
    const content = [{ type: "text" as const, text: `result ${step}` }];
    yield { type: "tool-end", call, outcome, ...(outcome === "ok" ? { content } : { error }) };
  }
}

function* helper(call: string, agent: string): Generator<Event> {
  yield { type: "agent-start", agent, call, name: "helper", task: "help" };
  yield { type: "step-start", step: `s ${agent}`, agent };
  yield { type: "text-start", part: `p ${agent}`, agent };
  for (let word = 0; word < 4; word++) yield { type: "text-delta", part: `p ${agent}`, agent, delta: `help${word} ` };
  yield { type: "text-end", part: `p ${agent}`, agent };
  yield { type: "step-end", step: `s ${agent}`, agent, finish: "stop" };
  yield { type: "agent-end", agent, outcome: "done" };
}

/** A call that runs until it is stopped. */
const endless: Source = async function* (_, { signal }) {
  yield { type: "step-start", step: "s" };
  yield { type: "tool-start", call: "c", name: "wait" };
  yield { type: "tool-input-end", call: "c", input: {} };
  yield { type: "step-end", step: "s", finish: "tools" };
  yield { type: "tool-execute", call: "c" };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

describeInBrowser("the page's connection", ({ serve, open, openHideable }: Browsing) => {
  test("shows that the connection is lost and when it retries, stops spinners and clocks, and continues where it was", async () => {
    const { url, disconnect, reconnect } = await proxyTo(await serve(endless));
    const page = await open(url);
    await page.getByRole("button", { name: "Tools", exact: true }).click();
    await send(page, "hello");
    await page.locator("[data-row] [data-elapsed]").waitFor();
    await status(page, "live");
    const titleAt = async () => (await page.getByRole("heading", { level: 1 }).boundingBox())?.y;
    const before = await titleAt();
    expect(await spinning(page)).toBeGreaterThan(0);
    disconnect();
    await status(page, "reconnecting");
    await page.getByText(/Connection lost, retrying (in \d+ s|now)/).waitFor();
    await page.locator("[data-run][data-live=false]").waitFor();
    expect(await spinning(page)).toBe(0);
    const clocks = () => page.locator("[data-elapsed]").allInnerTexts();
    const stopped = await clocks();
    expect(stopped).toHaveLength(3);
    expect(await titleAt()).toBe(before);
    expect(await violations(page)).toEqual([]);
    // Waits until there is time to press the button. If the page reconnects first, the button is gone, which is also
    // correct.
    await page.getByText(/retrying in ([4-9]|\d\d) s/).waitFor();
    expect(await clocks()).toEqual(stopped);
    reconnect();
    const pressed = page.getByRole("button", { name: "Now" }).click();
    pressed.catch(() => {});
    await status(page, "live");
    await expect.poll(clocks).not.toEqual(stopped);
    await page.keyboard.press("Escape");
    await ended(page, "cancelled");
    await status(page, "finished");
    expect(await page.locator("[data-node] [data-state=executing]").count()).toBe(0);
  });

  test("Stop without a connection reports the attempt, and then that it failed", async () => {
    const { url, disconnect, reconnect } = await proxyTo(await serve(endless));
    const page = await open(url);
    await send(page, "hello");
    await page.locator("[data-state=executing]").first().waitFor();
    disconnect();
    await status(page, "reconnecting");
    await page.getByRole("button", { name: "Stop the run" }).click();
    await page.getByRole("button", { name: "Stopping the run" }).waitFor();
    const note = page.getByRole("alert");
    await note.waitFor();
    expect(await note.locator("p").allInnerTexts()).toEqual([
      "Could not stop the run: the server cannot be reached.",
      "The run continues without this page; press Stop again when the connection is back.",
    ]);
    expect(await violations(page)).toEqual([]);
    reconnect();
    // If the page reconnects first, the button is gone, which is also correct.
    const pressed = page.getByRole("button", { name: "Now" }).click();
    pressed.catch(() => {});
    await status(page, "live");
    await page.getByRole("button", { name: "Stop the run" }).click();
    await ended(page, "cancelled");
    expect(await note.count()).toBe(0);
  });

  test("the page of a run offers Stop without a connection, too, and reports that it failed", async () => {
    const { url, disconnect } = await proxyTo(await serve(endless));
    const page = await open(`${url}/?run=${await start(url)}`);
    await status(page, "live");
    disconnect();
    await status(page, "reconnecting");
    await page.getByRole("banner").getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("alert").getByText("Could not stop the run: the server cannot be reached.").waitFor();
  });

  test("settings that cannot be loaded show an error, and load once the server is back", async () => {
    const { url, disconnect, reconnect } = await proxyTo(await serve());
    const page = await open(url);
    await page.getByRole("textbox", { name: "Message the agent" }).waitFor();
    disconnect();
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const note = page.getByRole("alert").filter({ hasText: "could not be loaded" });
    await note.waitFor();
    expect(await violations(page)).toEqual([]);
    await note.getByRole("button", { name: "Close" }).click();
    expect(await note.count()).toBe(0);
    await page.getByRole("textbox", { name: "Message the agent" }).fill("still here");
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    reconnect();
    await note.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
  });

  test("a server that is too busy does not count as lost: its message is shown", async () => {
    const url = await serve(endless, { limits: { concurrentRuns: 1, queuedRuns: 0 } });
    const first = await open(url);
    await send(first, "hello");
    await status(first, "live");
    const second = await open(url);
    await send(second, "hello");
    await second
      .getByText(/^(Retrying in \d+ s|Retrying now): this server has reached its limit of active runs \(1\)\.$/)
      .waitFor();
    expect(await violations(second)).toEqual([]);
  });

  test("shows what the run waits for, if the server reports it", async () => {
    const source: Source = async function* (_, { signal }) {
      yield { type: "step-start", step: "s" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const cardsThenText = { ...native, heartbeat: { ...native.heartbeat, everyMs: 50 } };
    const page = await open(await serve(source, { dialects: [cardsThenText] }));
    await send(page, "hello");
    await page.getByText(/^Live, waiting for the model for \d+ s$/).waitFor();
    await page.keyboard.press("Escape");
    await ended(page, "cancelled");
  });

  test("one stream per tab, closed while the tab is hidden", async () => {
    const url = await serve(endless);
    const page = await openHideable(url);
    await send(page, "hello");
    await page.locator("[data-state=executing]").first().waitFor();
    await until(async () => (await viewers(url)) === 1);
    await setHidden(page, true);
    await until(async () => (await viewers(url)) === 0);
    await status(page, "paused");
    await setHidden(page, false);
    await status(page, "live");
    await until(async () => (await viewers(url)) === 1);
    await page.keyboard.press("Escape");
    await ended(page, "cancelled");
    await until(async () => (await viewers(url)) === 0);
  });

  test("a message to an unreachable server waits, and is sent once", async () => {
    const server = await serve();
    const { url, disconnect, reconnect } = await proxyTo(server);
    const page = await open(url);
    await page.getByRole("button", { name: "Show me a failing tool" }).waitFor();
    disconnect();
    await page.getByRole("button", { name: "Show me a failing tool" }).click();
    await status(page, "reconnecting");
    reconnect();
    // If the page reconnects first, the button is gone, which is also correct.
    const pressed = page.getByRole("button", { name: "Now" }).click();
    pressed.catch(() => {});
    await ended(page, "done");
    const { runs } = (await (await fetch(`${server}/runs`)).json()) as { runs: unknown[] };
    expect(runs).toHaveLength(1);
  });

  test("cuts and reloads at any moment do not change the final content", { timeout: 900_000 }, async () => {
    const blows = process.env.RUNCAST_LONG === "1" ? 200 : 10;
    const random = randomFrom(Number(process.env.RUNCAST_SEED ?? 1));
    const events = [...story()];
    let allowed = Infinity;
    let wake = (): void => {};
    const allow = (count: number): void => {
      allowed = count;
      wake();
    };
    const source: Source = async function* () {
      for (const [index, event] of events.entries()) {
        while (index >= allowed) await new Promise<void>((resolve) => (wake = resolve));
        yield event;
      }
    };
    const server = await serve(source);
    const calm = await open(server);
    await send(calm, "go");
    await ended(calm, "done");
    const wanted = await contentOf(calm);

    allowed = 0;
    const proxy = await startCuttingProxy(Number(new URL(server).port));
    onStop(() => proxy.close());
    const page = await open(proxy.url);
    await send(page, "go");
    await page.locator("article").nth(1).waitFor();
    for (let blow = 1; blow <= blows; blow++) {
      // The allowed events may arrive before, during or after the cut.
      allow(Math.floor((events.length * blow) / (blows + 1)));
      if (random() < 0.3) await page.reload();
      else proxy.cut();
      if (random() < 0.3) await page.evaluate(() => void dispatchEvent(new Event("online")));
      else await Promise.all([status(page, "live"), page.evaluate(() => void dispatchEvent(new Event("online")))]);
    }
    allow(Infinity);
    await page.evaluate(() => void dispatchEvent(new Event("online")));
    await ended(page, "done");
    expect(await contentOf(page)).toBe(wanted);
    await page.reload();
    await ended(page, "done");
    expect(await contentOf(page)).toBe(wanted);
    const { runs } = (await (await fetch(`${server}/runs`)).json()) as { runs: unknown[] };
    expect(runs).toHaveLength(2);
  });
});
