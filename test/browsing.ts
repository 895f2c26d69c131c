import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { native } from "../src/dialects/native.ts";
import { memory } from "../src/logs/memory.ts";
import { demoAgent } from "../src/models/demo.ts";
import { page as builtPage } from "../src/page.ts";
import { createServer, type RuncastServer, type ServerOptions } from "../src/server.ts";
import { type Source, describeAgent } from "../src/source.ts";
import { describeWith } from "./components.ts";
import { type HideableBrowser, launchHideable, setHidden } from "./hideable-browser.ts";

export { composer, ended, send } from "./chatting.ts";
export { setHidden };

export interface Browsing {
  /** A server with the page and the demo agent, or another source, on a free port. */
  serve(source?: Source, options?: Partial<ServerOptions>): Promise<string>;
  /** A page in a separate browser context, without shared storage. Page errors and policy violations fail the test. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** A page that `setHidden` can hide. Its storage is shared by all such pages of the suite. */
  openHideable(url: string): Promise<Page>;
  /** Another tab of the same browser. */
  openBeside(page: Page, url: string): Promise<Page>;
  /** Returns and clears the errors so far, for tests that expect some. */
  mistakes(): string[];
}

export const DEMO_SPEED = 30;
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/** Describes a suite with a real browser and real servers, which are stopped after each test. */
export const describeInBrowser = (name: string, suite: (browsing: Browsing) => void): void =>
  describeWith("chromium", name, (executablePath) => {
    let browser: Browser;
    let hideable: Promise<HideableBrowser> | undefined;
    const hideablePages: Page[] = [];
    const servers: RuncastServer[] = [];
    const mistakes: string[] = [];

    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: ARGUMENTS });
    });
    afterAll(async () => {
      await browser.close();
      await (await hideable)?.close();
    });
    afterEach(async () => {
      for (const page of hideablePages.splice(0)) {
        // The window stays as it is for the next page.
        await setHidden(page, false);
        await page.close();
      }
      for (const context of browser.contexts()) await context.close();
      for (const server of servers.splice(0)) await server.close();
      expect(mistakes.splice(0)).toEqual([]);
    });

    const watch = async (page: Page, url: string): Promise<Page> => {
      page.on("pageerror", (error) => mistakes.push(error.stack ?? error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !/Failed to load resource|net::ERR/.test(message.text()))
          mistakes.push(message.text());
      });
      await page.goto(url);
      return page;
    };

    suite({
      serve: async (source, options = {}) => {
        const demo = demoAgent({ speed: DEMO_SPEED });
        const page = builtPage();
        const server = createServer({
          agents: { demo: source ? describeAgent(source, demo.about!) : demo },
          log: memory(),
          dialects: [native],
          ...(page && { page }),
          ...options,
        });
        servers.push(server);
        return (await server.listen()).url;
      },
      open: async (url, options) => watch(await (await browser.newContext(options)).newPage(), url),
      openHideable: async (url) => {
        const page = await (await (hideable ??= launchHideable(executablePath, ARGUMENTS))).newPage();
        hideablePages.push(page);
        return await watch(page, url);
      },
      openBeside: async (page, url) => watch(await page.context().newPage(), url),
      mistakes: () => mistakes.splice(0),
    });
  });

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The accessibility problems that axe finds on the page, one per line. */
export const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(axeSource);
  return await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<AxeResults> } };
    const found = await axe.run();
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message}`),
    );
  });
};
