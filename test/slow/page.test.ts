import { type AddressInfo, type Socket, connect, createServer as createSocketServer } from "node:net";
import { type Browser, type Page, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { native } from "../../src/dialects/native.ts";
import type { Event } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import { page as html } from "../../src/page.ts";
import { type RuncastServer, type ServerOptions, createServer } from "../../src/server.ts";
import type { Source } from "../../src/source.ts";
import { describeWith } from "../components.ts";

describeWith("chromium", "the page", (executablePath) => {
  let browser: Browser;
  const servers: RuncastServer[] = [];
  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const server of servers.splice(0)) await server.close();
  });

  const serve = async (
    source: Source = demoAgent({ speed: 30 }),
    options: Partial<ServerOptions> = {},
  ): Promise<string> => {
    const server = createServer({
      agents: { demo: { source } },
      log: memory(),
      dialects: [native],
      page: html,
      ...options,
    });
    servers.push(server);
    return (await server.listen()).url;
  };

  /** A page whose own mistakes fail the test. */
  const open = async (url: string): Promise<{ page: Page; mistakes: string[] }> => {
    const page = await (await browser.newContext()).newPage();
    const mistakes: string[] = [];
    page.on("pageerror", (error) => mistakes.push(error.message));
    await page.goto(url);
    return { page, mistakes };
  };

  const start = async (url: string, message: string) => {
    const opened = await open(url);
    await opened.page.fill("#message", message);
    await opened.page.press("#message", "Enter");
    await opened.page.waitForSelector(".you");
    return opened;
  };

  test("starts a run and shows steps, thinking, calls, failures and sub-agents; a reload shows the same", async () => {
    const { page, mistakes } = await start(await serve(), "How is Lantern doing?");
    await page.waitForSelector(".end");
    const shown = await page.innerText("main");
    expect(shown).toContain("You wrote: “How is Lantern doing?”.");
    expect(await page.locator("main > .call > .head b").allInnerTexts()).toEqual([
      "search_notes",
      "calculate",
      "weather_lookup",
      "task",
    ]);
    expect(await page.locator(".call .mark.error").count()).toBe(1);
    expect(await page.locator(".call .agent .call .head b").innerText()).toBe("search_notes");
    expect(await page.locator("details summary").first().innerText()).toMatch(/^Thought for [\d.]+ m?s$/);
    expect(await page.innerText("#about")).toBe("demo · demo (scripted)");
    expect(await page.innerText("#link")).toBe("finished");
    expect(await page.locator(".mark.executing, .mark.pending").count()).toBe(0);
    await page.reload();
    await page.waitForSelector(".end");
    expect(await page.innerText("main")).toBe(shown);
    expect(mistakes).toEqual([]);
  });

  test("asks for approval, and sends the edited arguments", async () => {
    const { page, mistakes } = await start(await serve(), "Send the report, but ask for my approval first");
    await page.waitForSelector(".ask textarea");
    await page.fill(".ask textarea", "{ not json");
    await page.click(".ask button.main");
    await page.waitForSelector(".ask .bad");
    const body = { to: "me@lantern.example", subject: "Edited", body: "By hand." };
    await page.fill(".ask textarea", JSON.stringify(body));
    await page.click(".ask button.main");
    await page.waitForSelector(".end");
    expect(await page.innerText(".ask")).toContain("Allowed with edits");
    expect(await page.innerText(".call .args")).toContain("edited: ");
    expect(await page.locator(".cite a").getAttribute("href")).toMatch(/^runs\/.+\/files\//);
    expect(mistakes).toEqual([]);
  });

  test("asks to choose, stops one call, stops the run", async () => {
    const url = await serve();
    const question = await start(url, "Ask me a question");
    await question.page.click(".ask .row button >> nth=1");
    await question.page.waitForSelector(".end");
    expect(await question.page.innerText(".ask")).toContain("Answered: dependencies");
    const call = await start(url, "Start something slow that I can stop");
    await call.page.waitForSelector(".call .mark.executing");
    await call.page.click(".call .stop");
    await call.page.waitForSelector(".end");
    expect(await call.page.locator(".call .mark.cancelled").count()).toBe(1);
    const run = await start(url, "Start something slow that I can stop");
    await run.page.waitForSelector(".mark.executing");
    await run.page.click("#stop");
    await run.page.waitForSelector(".end .mark.cancelled");
    expect([...question.mistakes, ...call.mistakes, ...run.mistakes]).toEqual([]);
  });

  test("everything is text: nothing a model or a tool says becomes markup", async () => {
    const evil = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
    const events: Event[] = [
      { type: "step-start", step: "s" },
      { type: "thinking-start", part: "t" },
      { type: "thinking-delta", part: "t", delta: evil },
      { type: "thinking-end", part: "t" },
      { type: "text-start", part: "p" },
      { type: "text-delta", part: "p", delta: evil },
      { type: "text-end", part: "p" },
      { type: "tool-start", call: "c", name: evil },
      { type: "tool-input-end", call: "c", input: { [evil]: evil } },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "c" },
      { type: "status", call: "c", text: evil },
      { type: "tool-output-delta", call: "c", stream: "stdout", delta: evil },
      { type: "citation", citation: "k", call: "c", title: evil, url: "javascript:window.hacked=1" },
      { type: "embed", embed: "e", call: "c", html: evil, title: evil },
      { type: "agent-start", agent: "a", call: "c", name: evil, task: evil },
      { type: "agent-end", agent: "a", outcome: "error", error: { code: "x", message: evil } },
      { type: "tool-end", call: "c", outcome: "error", error: { code: "x", message: evil, hint: evil } },
    ];
    const { page, mistakes } = await start(
      await serve(async function* () {
        yield* events;
      }),
      evil,
    );
    await page.waitForSelector(".end");
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("main img, main script, main iframe, main a[href]").count()).toBe(0);
    expect(await page.innerText("main > .text")).toBe(evil);
    expect(mistakes).toEqual([]);
  });

  test("a link with a token only shows; a server with a key asks for it", async () => {
    const url = await serve(undefined, { key: "a-long-enough-key" });
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on("dialog", (dialog) => void dialog.accept("a-long-enough-key"));
    await page.goto(url);
    await page.fill("#message", "Send the report, but ask for my approval first");
    await page.press("#message", "Enter");
    await page.waitForSelector(".ask button.main");
    const run = new URL(page.url()).searchParams.get("run")!;
    const response = await fetch(`${url}/runs/${run}/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer a-long-enough-key" },
      body: "{}",
    });
    const { url: link } = (await response.json()) as { url: string };
    const guest = await open(url + link);
    await guest.page.waitForSelector(".ask");
    expect(await guest.page.innerText(".ask")).toContain("This link only allows watching.");
    expect(await guest.page.locator("button:visible").count()).toBe(0);
    await page.click(".ask button:has-text('Deny')");
    await guest.page.waitForSelector(".end");
    expect(await guest.page.innerText(".ask")).toContain("Denied");
    expect(guest.mistakes).toEqual([]);
  });

  test("says when it has lost the server, and goes on where it was", async () => {
    const { port } = new URL(await serve(demoAgent({ speed: 1 })));
    const sockets = new Set<Socket>();
    const cable = createSocketServer((near) => {
      const far = connect(Number(port), "127.0.0.1");
      for (const socket of [near, far])
        sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => cable.listen(0, "127.0.0.1", resolve));
    const address = cable.address() as AddressInfo;
    const { page, mistakes } = await start(`http://127.0.0.1:${address.port}`, "Start something slow that I can stop");
    await page.waitForSelector(".mark.executing");
    cable.close();
    for (const socket of sockets) socket.destroy();
    await page.waitForSelector("#link.lost");
    const spinner = `getComputedStyle(document.querySelector(".mark.executing"), "::before").animationName`;
    expect(await page.evaluate(spinner)).toBe("none");
    await new Promise<void>((resolve) => cable.listen(address.port, "127.0.0.1", resolve));
    await page.waitForSelector("#link.live");
    expect(await page.evaluate(spinner)).toBe("turn");
    await page.click("#stop");
    await page.waitForSelector(".end .mark.cancelled");
    expect(await page.locator(".call").count()).toBe(1);
    expect(await page.locator(".mark.executing").count()).toBe(0);
    expect(mistakes).toEqual([]);
    for (const socket of sockets) socket.destroy();
    cable.close();
  });

  test("is small, and asks nothing of the network", () => {
    expect(html.trim().split("\n").length).toBeLessThan(150);
    expect(html).not.toMatch(/https?:\/\/|innerHTML|insertAdjacentHTML|document\.write/);
  });
});
