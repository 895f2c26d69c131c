import { expect, onTestFinished, test } from "vitest";
import { forge } from "../../src/dialects/forge.ts";
import { native } from "../../src/dialects/native.ts";
import { type Entry, EVENT_TYPES } from "../../src/events.ts";
import { type Browsing, composer, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { startCuttingProxy } from "../cutting-proxy.ts";

const FORGES = ["token", "tool_call", "tool_result", "complete"];

interface Read {
  readonly events: readonly (readonly [id: string, type: string, data: unknown])[];
  /** How often the browser reconnected. */
  readonly reconnects: number;
}

/** Runs in the page: the events until the last one, which ends the connection. */
const readEvents = (asked: { readonly path: string; readonly last: string; readonly types: readonly string[] }) =>
  new Promise<Read>((resolve, reject) => {
    const events: [string, string, unknown][] = [];
    let reconnects = 0;
    const source = new EventSource(asked.path);
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) reject(new Error(`it gave up after ${events.length} events`));
      else reconnects++;
    });
    for (const type of asked.types)
      source.addEventListener(type, ({ lastEventId, data }) => {
        events.push([lastEventId, type, JSON.parse(data as string)]);
        if (type !== asked.last) return;
        source.close();
        resolve({ events, reconnects });
      });
  });

const latestRun = async (url: string): Promise<string> => {
  const { runs } = (await (await fetch(`${url}/runs`)).json()) as { runs: { run: string }[] };
  return runs[0]!.run;
};

/** What the stored entries of a run are as events of our own stream. */
const framesOf = async (url: string, run: string): Promise<Read["events"]> => {
  const lines = (await (await fetch(`${url}/runs/${run}/export.jsonl`)).text()).trim().split("\n");
  return lines
    .map((line) => JSON.parse(line) as Entry)
    .map(({ seq, at, event }) => [`${seq}`, event.type, { ...event, at }] as const);
};

describeInBrowser("the page", ({ serve, open, openBeside }: Browsing) => {
  test("guides new users, and starts a run with one click", async () => {
    const page = await open(await serve());
    const suggestion = page.getByRole("button", { name: "Show me a failing tool" });
    await suggestion.waitFor();
    expect(await composer(page).isVisible()).toBe(true);
    // There is only one agent, so there is no choice.
    expect(await page.getByRole("combobox").count()).toBe(0);
    // It needs a client tool, and none is configured.
    expect(await page.getByRole("button", { name: "Use a client-run tool" }).count()).toBe(0);
    await suggestion.click();
    await ended(page, "done");
    expect(await page.locator("[data-message]").count()).toBe(2);
    expect(await page.title()).toBe("Show me a failing tool · Runcast");
    expect(new URL(page.url()).searchParams.get("chat")).toBeTruthy();
  });

  test("is painted within a second with a cold cache, with at most 170 KB of script", async () => {
    const url = await serve();
    const loads: { paint: number; bytes: number }[] = [];
    // A busy machine may delay any of the loads, but cannot make one too fast.
    for (let load = 0; load < 3; load++) {
      const page = await open(url);
      await page.getByRole("heading", { name: "demo", exact: true }).waitFor();
      loads.push(await page.evaluate(measureLoad));
      await page.context().close();
    }
    expect(Math.min(...loads.map(({ paint }) => paint))).toBeLessThan(1000);
    expect(loads[0]!.bytes).toBeGreaterThan(0);
    expect(loads[0]!.bytes).toBeLessThanOrEqual(170 * 1024);
  });

  test("a page without a library reads a run with EventSource, in Forge's events and in our own", async () => {
    const url = await serve(undefined, { dialects: [native, forge] });
    const page = await open(url);
    await send(page, "Show me a failing tool");
    await ended(page, "done");
    const run = await latestRun(url);
    const read = (query: string, last: string, types: readonly string[]) =>
      page.evaluate(readEvents, { path: `runs/${run}/events${query}`, last, types });
    const forges = (await read("?dialect=forge", "complete", FORGES)).events.map(([, type]) => type);
    expect([...new Set(forges)].toSorted()).toEqual(FORGES.toSorted());
    expect(forges.at(-1)).toBe("complete");
    expect(await read("", "run-end", EVENT_TYPES)).toEqual({ events: await framesOf(url, run), reconnects: 0 });
  });

  test("EventSource continues where it was cut: every event once", async () => {
    const url = await serve(undefined, { dialects: [native] });
    let cut: number | undefined;
    const proxy = await startCuttingProxy(Number(new URL(url).port), () => cut);
    onTestFinished(() => proxy.close());
    const page = await open(proxy.url);
    await send(page, "Show me a failing tool");
    await ended(page, "done");
    const run = await latestRun(url);
    const events = await framesOf(url, run);
    // The response is longer than this, so the first connection is always cut, wherever in a frame that is.
    cut = Math.ceil(JSON.stringify(events).length / 2);
    proxy.cut();
    const asked = { path: `runs/${run}/events`, last: "run-end", types: EVENT_TYPES };
    const read = await page.evaluate(readEvents, asked);
    expect(read.events).toEqual(events);
    expect(read.reconnects).toBeGreaterThan(0);
  });

  test("requests nothing from any other host", async () => {
    const url = await serve();
    const page = await open("about:blank");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    await page.goto(url);
    await send(page, "Just answer: are you real?");
    await ended(page, "done");
    expect(new Set(asked.filter((origin) => origin !== "null"))).toEqual(new Set([url]));
  });

  test("opens one run by its URL, and continues it after a reload", async () => {
    const url = await serve();
    const page = await open(url);
    await send(page, "Show me a failing tool");
    await ended(page, "done");
    const runs = (await (await fetch(`${url}/runs`)).json()) as { runs: { run: string }[] };
    const alone = await openBeside(page, `${url}/?run=${runs.runs[0]!.run}`);
    await ended(alone, "done");
    expect(await alone.locator("[data-message]").innerText()).toContain("Show me a failing tool");
    expect(await violations(alone)).toEqual([]);
    await alone.reload();
    await ended(alone, "done");
  });

  test("a link with a token is read-only, and a server with a key asks for it", async () => {
    const key = "a-long-enough-key";
    const url = await serve(undefined, { key });
    const page = await open(url);
    const field = page.getByLabel("Key or token");
    await field.fill("not-the-key");
    await field.press("Enter");
    await page.getByText("This key is not valid for this server.").waitFor();
    expect(await violations(page)).toEqual([]);
    await field.fill(key);
    await field.press("Enter");
    await send(page, "Send the report, but ask for my approval first");
    await page
      .getByRole("button", { name: /^Allow/ })
      .first()
      .waitFor();
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const { runs } = (await (await fetch(`${url}/runs`, { headers })).json()) as { runs: { run: string }[] };
    const made = await fetch(`${url}/runs/${runs[0]!.run}/links`, { method: "POST", headers, body: "{}" });
    const { url: link } = (await made.json()) as { url: string };

    const other = await open(`${url}/?run=${runs[0]!.run}`);
    await other.getByLabel("Key or token").fill(key);
    await other.keyboard.press("Enter");
    await other.getByText("send_report").first().waitFor();

    const guest = await open(url + link);
    await guest.getByText("This link is read-only").waitFor();
    await guest.getByText("send_report").first().waitFor();
    expect(await guest.getByRole("button", { name: /Allow|Deny|Stop/ }).count()).toBe(0);
    expect(await composer(guest).count()).toBe(0);
    expect(await violations(guest)).toEqual([]);
    await page.getByRole("button", { name: /^Deny/ }).first().click();
    await ended(page, "done");
    await ended(guest, "done");
  });

  test("explains what to do if there is nothing to show", async () => {
    const url = await serve();
    const none = await open(`${url}/?run=nobody`);
    await none.getByRole("alert").waitFor();
    expect(await none.getByRole("alert").innerText()).toMatch(/no run nobody/i);
    await none.getByText("Refused").waitFor();
    for (const phrase of ["Waiting for the run", "This link is read-only", "GET /runs"])
      expect(await none.getByText(phrase).count()).toBe(0);
    expect(await none.getByRole("button", { name: /Replay|Share|Try again/ }).count()).toBe(0);
    expect(await violations(none)).toEqual([]);
    await none.getByRole("button", { name: "Start a new conversation" }).click();
    await none.getByRole("heading", { name: "demo", exact: true }).waitFor();
    const wrongLink = await open(`${url}/?run=nobody&token=rc1.nothing`);
    await wrongLink.getByRole("alert").waitFor();
    expect(await wrongLink.getByText("This link is read-only").count()).toBe(0);
    expect(await wrongLink.getByRole("button", { name: /Replay|Share|Start/ }).count()).toBe(0);
    const gone = await open(`${url}/?chat=elsewhere`);
    await gone.getByText("This browser does not have this conversation.").waitFor();
    expect(await violations(gone)).toEqual([]);
    await gone.getByRole("button", { name: "Start a new conversation" }).click();
    await gone.getByRole("heading", { name: "demo", exact: true }).waitFor();
  });
});

/** Runs in the page. */
const measureLoad = async (): Promise<{ paint: number; bytes: number }> => {
  const paint = await new Promise<number>((resolve) => {
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime);
    }).observe({ type: "paint", buffered: true });
  });
  const resources = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  const scripts = resources.filter(({ name }) => name.endsWith(".js"));
  return { paint, bytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) };
};
