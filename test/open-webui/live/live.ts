import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { studyCompanion } from "../../../examples/study-companion/agent.ts";
import { dialects } from "../../../src/config/dialects.ts";
import { STYLES } from "../../../src/dialects/open-webui/styles.ts";
import { memory } from "../../../src/logs/memory.ts";
import { page } from "../../../src/page.ts";
import { type RuncastServer, createServer } from "../../../src/server.ts";
import type { RunContext, RunRequest, Source } from "../../../src/source.ts";
import { type Account, FORWARDED, signIn } from "./account.ts";
import { type ChatPage, type ChatPageOptions, openChat } from "./chat-page.ts";
import { type Gates, createGates } from "./gates.ts";
import { type OpenWebUi, type Settings, useOpenWebUi } from "./open-webui.ts";
import { storyteller } from "./stories.ts";

export interface Live {
  readonly openWebUi: OpenWebUi;
  readonly account: Account;
  readonly browser: Browser;
  readonly runcast: string;
  /** New ones for each test. */
  readonly gates: Gates;
  /** The runs that started since the test began. */
  readonly started: readonly string[];
  /** Opens a tab that is closed after the test. The test fails if the page had an uncaught error. */
  open(options?: ChatPageOptions): Promise<ChatPage>;
}

/** Errors that Open WebUI's own page throws during normal operation. */
const HARMLESS = /ResizeObserver loop|Failed to set a named property 'args' on 'Window': Blocked a frame/;

/** An Open WebUI, our server behind it as a connection, and a browser, once per file. */
export const useLive = (
  program: string,
  agents: Record<string, Source> = {},
  settings?: () => Promise<Settings>,
): Live => {
  const started: string[] = [];
  const tabs: ChatPage[] = [];
  const workspace = mkdtempSync(path.join(tmpdir(), "runcast-study-"));
  let gates = createGates();
  let server: RuncastServer;
  let live: Pick<Live, "openWebUi" | "account" | "browser" | "runcast">;

  beforeAll(async () => {
    // The gates of the current test, not those of the file.
    const current: Gates = {
      pass: (name, signal) => gates.pass(name, signal),
      open: (name) => gates.open(name),
      reached: (name) => gates.reached(name),
      left: (name) => gates.left(name),
      renew: (name) => gates.renew(name),
    };
    const sources: Record<string, Source> = {
      storyteller: storyteller(current, 4),
      // 50 tokens per second.
      steady: storyteller(current, 50 / 60),
      study: studyCompanion({ workspace, speed: 4, compiler: "latex-compiler" }),
      ...agents,
    };
    const builtPage = page();
    const openWebUi = await useOpenWebUi(program, await settings?.());
    server = createServer({
      agents: Object.fromEntries(
        Object.entries(sources).map(([name, source]) => [
          name,
          (request: RunRequest, context: RunContext) => {
            started.push(context.run);
            return source(request, context);
          },
        ]),
      ),
      log: memory(),
      dialects,
      frameAncestors: [openWebUi.url],
      ...(builtPage && { page: builtPage }),
      limits: { startsPerMinute: 10_000, controlsPerMinute: 10_000 },
    });
    const [{ url }, browser] = await Promise.all([
      server.listen(),
      chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
      }),
    ]);
    const account = await signIn(openWebUi.url);
    const models = Object.keys(sources).flatMap((name) => [name, ...STYLES.map((style) => `${name}:${style}`)]);
    await account.connect({ url: `${url}/open-webui/v1`, headers: FORWARDED, models });
    live = { openWebUi, account, browser, runcast: url };
    console.log(`Open WebUI says that it is ${openWebUi.version}`);
  }, 240_000);
  afterEach(async () => {
    const mistakes = tabs.flatMap((tab) => tab.mistakes.filter((mistake) => !HARMLESS.test(mistake)));
    for (const tab of tabs.splice(0)) await tab.close();
    for (const run of started.splice(0)) await server.runner.cancel(run).catch(() => {});
    gates = createGates();
    expect(mistakes).toEqual([]);
  });
  afterAll(async () => {
    await live?.browser.close();
    await live?.openWebUi.stop();
    await server.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  return {
    get openWebUi() {
      return live.openWebUi;
    },
    get account() {
      return live.account;
    },
    get browser() {
      return live.browser;
    },
    get runcast() {
      return live.runcast;
    },
    get gates() {
      return gates;
    },
    started,
    async open(options) {
      const tab = await openChat(live.browser, live.openWebUi, live.account, options);
      tabs.push(tab);
      return tab;
    },
  };
};
