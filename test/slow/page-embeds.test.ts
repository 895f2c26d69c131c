import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, composer, describeInBrowser, ended, send, violations } from "../browsing.ts";

const embeds = (...shown: readonly Omit<Extract<Event, { type: "embed" }>, "type">[]): Source =>
  async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "tool-start", call: "c", name: "chart" };
    yield { type: "tool-input-end", call: "c", input: { city: "Bern" } };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "tool-execute", call: "c" };
    for (const embed of shown) yield { type: "embed", ...embed, call: "c" };
    yield {
      type: "tool-end",
      call: "c",
      outcome: "ok",
      content: [{ type: "text", text: "drawn" }],
      value: { degrees: 21 },
    };
    yield { type: "step-start", step: "t" };
    yield { type: "text-start", part: "p", step: "t" };
    yield { type: "text-delta", part: "p", delta: "Here it is." };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "t", finish: "stop" };
  };

/** A charting library in three lines, and the client of MCP Apps, as a CDN would serve them. */
const LIBRARY = `window.chart = (id, values, onClick) => { const box = document.getElementById(id);
  values.forEach((value, index) => { const bar = document.createElement("button"); bar.textContent = value;
    bar.style.height = value + "px"; bar.onclick = () => onClick(index); box.append(bar); }); };`;
const APP = readFileSync(
  new URL("../../node_modules/@modelcontextprotocol/ext-apps/dist/src/app-with-deps.js", import.meta.url),
);

describeInBrowser("what a run embeds", ({ serve, open, mistakes }: Browsing) => {
  const others: Server[] = [];
  afterEach(() => {
    for (const server of others.splice(0)) server.close().closeAllConnections();
  });
  /** A server on another origin, and the requests it received. */
  const elsewhere = async (answer: (request: IncomingMessage) => [type: string, body: string | Buffer]) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      const [type, body] = answer(request);
      response.writeHead(200, { "content-type": type, "access-control-allow-origin": "*" }).end(body);
    });
    others.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  };
  const show = async (page: Page) => {
    await send(page, "show it");
    await ended(page, "done");
  };
  const inside = (page: Page, title: string) => page.frameLocator(`iframe[title="${title}"]`);

  test("two charts with a script from a second origin work only after that origin is allowed", async () => {
    const cdn = await elsewhere(() => ["text/javascript", LIBRARY]);
    const html = `<!doctype html><div id="a"></div><div id="b"></div><output></output><script src="${cdn.url}/chart.js"></script>
      <script>const say = (name) => (index) => document.querySelector("output").append(name + index + " ");
      chart("a", [30, 60], say("a")); chart("b", [20, 40], say("b"));</script>`;
    const page = await open(await serve(embeds({ embed: "e", html, title: "Weather", origins: [cdn.url] })));
    await show(page);
    const gate = page.getByRole("region", { name: "Allow Weather" });
    await gate.waitFor();
    expect(await gate.innerText()).toContain(cdn.url);
    expect(cdn.asked).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await gate.getByRole("button", { name: "Always allow for demo" }).click();
    const frame = inside(page, "Weather");
    await frame.getByRole("button", { name: "60" }).click();
    await frame.getByRole("button", { name: "20" }).click();
    await frame.getByText("a1 b0").waitFor();
    await page.reload();
    await inside(page, "Weather").getByRole("button", { name: "40" }).waitFor();
  });

  test("permanent permissions belong to the server's name for an agent, whatever the agent calls itself", async () => {
    const cdn = await elsewhere(() => ["text/javascript", ""]);
    const shown = embeds({ embed: "e", html: "<p>hi</p>", title: "Weather", origins: [cdn.url] });
    const named: Source = async function* (...args) {
      yield { type: "run-start", protocol: 2, run: args[1].run, name: "a trusted agent" };
      yield* shown(...args);
    };
    const page = await open(await serve(named));
    await show(page);
    const gate = page.getByRole("region", { name: "Allow Weather" });
    await gate.getByRole("button", { name: "Always allow for demo" }).waitFor();
    expect(await gate.innerText()).not.toContain("a trusted agent");
  });

  test("without permission, it cannot reach the network, the page or the server", async () => {
    const evil = await elsewhere(() => ["text/plain", "got it"]);
    const html = `<p id="out">waiting</p><img src="${evil.url}/image"><script>
      const tries = [() => fetch("${evil.url}/fetch"), () => parent.document.title, () => localStorage.length, () => fetch("/runs"),
        () => { top.location = "${evil.url}/top"; }, () => { location = "${evil.url}/self"; throw new Error("led itself away"); }];
      (async () => { let refused = 0; for (const one of tries) try { await one(); } catch { refused++; }
        document.querySelector("#out").textContent = "refused " + refused; })();</script>`;
    const url = await serve(embeds({ embed: "e", html, title: "Evil" }));
    const page = await open(url);
    await show(page);
    const gate = page.getByRole("region", { name: "Allow Evil" });
    await gate.getByText(evil.url).waitFor();
    // The page's own server is not offered.
    await page.getByText(`Blocked: ${url}`).waitFor();
    expect(await gate.innerText()).not.toContain(url);
    expect(evil.asked).toEqual([]);
    expect(page.url()).toContain(url);
    // The browser reports only what it blocked.
    expect(mistakes().filter((text) => !/Content Security Policy|is sandboxed/.test(text))).toEqual([]);
  });

  test("has an opaque origin, from which it cannot read the page, its storage, its cookies or the server", async () => {
    const html = `<p id="out">waiting</p><script>
      const tries = { page: () => parent.document.title, storage: () => localStorage.length,
        cookies: () => document.cookie, server: () => fetch("/runs") };
      (async () => { const refused = []; for (const name in tries) try { await tries[name](); } catch { refused.push(name); }
        document.querySelector("#out").textContent = origin + ": " + refused.join(", "); })();</script>`;
    const page = await open(await serve(embeds({ embed: "e", html, title: "Curious" })));
    await show(page);
    await inside(page, "Curious").getByText("null: page, storage, cookies, server", { exact: true }).waitFor();
    // The browser reports only what it blocked.
    expect(mistakes().filter((text) => !/Content Security Policy/.test(text))).toEqual([]);
  });

  test("may submit forms only if the settings allow it", async () => {
    const html = `<form onsubmit="this.append(' and sent'); return false">
      <button onclick="this.textContent = 'clicked'">Send</button></form>`;
    const page = await open(await serve(embeds({ embed: "e", html, title: "Form" })));
    const shownAfterClick = async (): Promise<string> => {
      await inside(page, "Form").getByRole("button", { name: "Send" }).click();
      await inside(page, "Form").getByRole("button", { name: "clicked" }).waitFor();
      return (await inside(page, "Form").locator("form").innerText()).trim();
    };
    await show(page);
    expect(await shownAfterClick()).toBe("clicked");
    await expect.poll(() => mistakes().join("\n")).toContain("'allow-forms'");
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByLabel("Submit forms").check();
    await page.reload();
    expect(await shownAfterClick()).toBe("clicked and sent");
  });

  test("gets its document once: one that navigates to another policy gets nothing and is closed", async () => {
    const evil = await elsewhere(() => ["text/plain", "got it"]);
    const html = `<p>secret words</p><script>
      fetch("${evil.url}/" + typeof RTCPeerConnection).catch(() => {});
      setTimeout(() => { location = "/frame?origin=" + encodeURIComponent("${evil.url}"); }, 50);</script>`;
    const page = await open(await serve(embeds({ embed: "e", html, title: "Evil", origins: [evil.url] })));
    await show(page);
    await page.getByRole("button", { name: "Show without this content" }).click();
    await page.getByText("Evil tried to load another document, so it was closed.").waitFor();
    expect(await page.locator('iframe[title="Evil"]').count()).toBe(0);
    expect(evil.asked).toEqual([]);
    mistakes();
  });

  test("its height follows its content, and its messages are only proposed", async () => {
    const html = `<div id="box" style="height:300px"></div><button onclick="box.style.height='900px'">more</button>
      <button onclick="parent.postMessage({ runcast: { draft: 'and tomorrow?' } }, '*')">ask</button>`;
    const page = await open(await serve(embeds({ embed: "e", html, title: "Tall" })));
    await show(page);
    const height = () => page.locator('iframe[title="Tall"]').evaluate((frame) => frame.getBoundingClientRect().height);
    await expect.poll(height).toBeGreaterThan(300);
    const before = await height();
    await inside(page, "Tall").getByRole("button", { name: "more" }).click();
    await expect.poll(height).toBeGreaterThanOrEqual(before + 590);
    await inside(page, "Tall").getByRole("button", { name: "ask" }).click();
    await expect.poll(() => composer(page).inputValue()).toBe("and tomorrow?");
    expect(await page.locator("[data-message]").count()).toBe(2);
  });

  test("an MCP App with its own client gets its call, and unsupported requests are refused", async () => {
    const cdn = await elsewhere(() => ["text/javascript", APP]);
    const html = `<p id="out"></p><script type="module">
      import { App } from "${cdn.url}/app.js";
      const out = document.querySelector("#out");
      const app = new App({ name: "weather", version: "1" }, {});
      app.ontoolinput = ({ arguments: input }) => out.append("in " + input.city + " ");
      app.ontoolresult = async ({ structuredContent }) => {
        out.append(structuredContent.degrees + " degrees ");
        await app.callServerTool({ name: "more", arguments: {} }).catch(() => out.append("refused"));
      };
      await app.connect();</script>`;
    const page = await open(await serve(embeds({ embed: "e", html, title: "App", origins: [cdn.url] })));
    await show(page);
    await page.getByRole("button", { name: "Allow once" }).click();
    await inside(page, "App").getByText("in Bern 21 degrees refused").waitFor();
    // It was allowed once.
    await page.reload();
    await page.getByRole("button", { name: "Allow once" }).waitFor();
  });

  test.each([
    ["POST", (_: string, body: string) => JSON.parse(body) as object],
    ["GET", (address: string) => Object.fromEntries(new URL(address, "http://tool").searchParams)],
  ])("a tool that the browser calls by %s shows its page, and the agent continues", async (method, argumentsOf) => {
    const received: object[] = [];
    const service = createServer((request, response) => {
      const pieces: string[] = [];
      request.setEncoding("utf8").on("data", (piece) => pieces.push(piece));
      request.on("end", () => {
        if (request.method === method) received.push(argumentsOf(request.url!, pieces.join("")));
      });
      response.setHeader("access-control-allow-origin", "*");
      response.setHeader("access-control-allow-headers", "content-type");
      response.setHeader("access-control-expose-headers", "Content-Disposition");
      response.setHeader("content-type", "text/html");
      response.setHeader("content-disposition", "inline");
      request.on("end", () => response.end("<h1>Map</h1><button onclick=\"this.textContent='clicked'\">Zoom</button>"));
    });
    others.push(service);
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const page = await open(await serve());
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const form = page.getByRole("form", { name: "Add a browser tool" });
    await form.getByLabel("Send arguments").selectOption(method);
    await form.getByLabel("Tool name").fill("weather_map");
    await form.getByLabel("Tool URL").fill(`http://127.0.0.1:${(service.address() as AddressInfo).port}/map`);
    await form
      .getByLabel("JSON Schema")
      .fill('{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}');
    await form.getByRole("button", { name: "Add tool" }).click();
    await page.getByRole("button", { name: "Remove weather_map" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await send(page, "Use a client-run tool");
    const bar = page.getByRole("region", { name: "Tool calls for this browser" });
    await bar.waitFor();
    expect(received).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await bar.getByRole("button", { name: "Run" }).click();
    await page.locator("[data-message]").getByText("Your client answered").waitFor();
    // While the answer grows, the page scrolls and the frame moves away from a click.
    await page.locator("[data-message]").last().locator("[data-run-end=done]").waitFor();
    await inside(page, "Page from weather_map").getByRole("button", { name: "Zoom" }).click();
    await inside(page, "Page from weather_map").getByText("clicked").waitFor();
    expect(received).toEqual([{ city: expect.any(String) }]);
    await page.reload();
    await inside(page, "Page from weather_map").getByText("Map").waitFor();
  });
});
