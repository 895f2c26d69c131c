// npm run bench:web [-- --quick] [--only runcast,streamdown,use-chat,streaming-markdown,list] [--tokens N] [--peers-every MS]:
// streams a long answer into a long conversation, on our page and on its peers, in a real browser. Then scores two Markdown parsers.
// Writes tables and one JSON file.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { build } from "vite";
import { htmlOf } from "../test/web/markdown-html.ts";
import { launchChromium } from "./chromium.ts";
import { install } from "./install.ts";
import { CONVERSATION, history, historyFile } from "./web/history.ts";
import { judge, type Samples } from "./web/judge.ts";
import { type Measured, measurePage } from "./web/measure.ts";
import { type Serving, type Streamed, servePeers, serveRuncast } from "./web/servers.ts";
import { specificationTable } from "./web/specification.ts";
import { type Beat, listStream, mixedStream } from "./web/stream.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    tokens: { type: "string" },
    // How often the peers show new text, in milliseconds, such as our 50. Default: as often as they do on their own.
    "peers-every": { type: "string", default: "0" },
  },
});
const { quick } = values;
const peersEveryMs = Number(values["peers-every"]);
/** A page that takes longer than this for a stream has failed. */
const LONGEST = quick ? 60_000 : 900_000;
const only = values.only.split(",").filter(Boolean);
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

install();
const directory = mkdtempSync(path.join(os.tmpdir(), "runcast-bench-web-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
process.exitCode = await main();

async function main(): Promise<number> {
  const begun = Date.now();
  await buildPages();
  const tokens = Number(values.tokens ?? (quick ? 2000 : 20_000));
  const past = history(quick ? 50 : 500);
  const mixed = mixedStream(tokens, tokens / 4, 10);
  const list = listStream(quick ? 400 : 4000);
  let current: Streamed | undefined;
  const streamed = () => current!;
  const runcast = await serveRuncast(streamed);
  const peers = await servePeers(directory, streamed);
  const browser = await launchChromium();

  const take = async (
    name: string,
    beats: readonly Beat[],
    perSecond: number,
    steps: Steps,
  ): Promise<Measured | undefined> => {
    if (only.length > 0 && !only.includes(name)) return undefined;
    console.log(`${name} …`);
    const total = beats.filter(({ kind }) => kind === "token").length;
    const every = Math.max(1, Math.floor(total / 20));
    const allSent = Promise.withResolvers<void>();
    const measured = await measurePage(browser, {
      ...steps,
      tokens: total,
      onReady: (sample) => {
        const onToken = (count: number) => {
          if (count % every === 0 && count < total) sample(count);
          if (count === total) allSent.resolve();
        };
        current = { beats, perSecond, past, onToken };
      },
      // Waiting inside the page polls it, which would count as the page's own script.
      end: async (page) => {
        await allSent.promise;
        await steps.end(page);
      },
      open: async (page) => {
        current = { beats, perSecond, past, onToken: () => undefined };
        await steps.open(page);
      },
    });
    return measured;
  };

  try {
    const samples: Samples = {
      runcast: await take("runcast", mixed, 200, ours(runcast)),
      streamdown: await take("streamdown", mixed, 200, peer(peers, "streamdown")),
      useChat: await take("use-chat", mixed, 200, peer(peers, "use-chat")),
      streamingMarkdown: await take("streaming-markdown", mixed, 200, peer(peers, "streaming-markdown")),
      list: await take("list", list, 1000, ours(runcast)),
    };
    const { rows, missed } = judge(samples, { tokens, quick, peersEveryMs });
    // Loaded only now, because its parser is installed with the peers.
    const streamingMarkdown = (await import(here("peers/web/streaming-markdown-html.ts"))) as { htmlOf: typeof htmlOf };
    rows.push("", ...specificationTable({ runcast: htmlOf, "streaming-markdown": streamingMarkdown.htmlOf }));
    console.log(`\n${rows.join("\n")}\n`);
    const file = save({
      ...about(),
      quick,
      tokens,
      peersEveryMs,
      seconds: Math.round((Date.now() - begun) / 1000),
      rows,
      samples,
    });
    console.log(`${missed === 0 ? "all targets met" : `${missed} missed`}; ${file}`);
    return missed > 0 && !quick ? 1 : 0;
  } finally {
    await browser.close();
    await runcast.close();
    await peers.close();
  }

  function ours({ url }: Serving): Steps {
    return {
      open: async (page) => {
        await page.goto(url);
        await page.getByLabel("Conversation file").setInputFiles({
          name: "conversations.json",
          mimeType: "application/json",
          buffer: Buffer.from(historyFile(past)),
        });
        await page.getByText("1 conversation added").waitFor({ timeout: 120_000 });
        await page.goto(`${url}/?chat=${CONVERSATION}`);
        await page.locator("[data-message]").nth(past.length).waitFor({ state: "attached", timeout: 60_000 });
        await page.waitForTimeout(2000);
      },
      begin: async (page) => {
        const field = page.getByRole("textbox", { name: "Message the agent" });
        await field.fill("Begin");
        await field.press("Enter");
      },
      end: async (page) => {
        const answer = page.locator("[data-message]").nth(past.length * 2 + 1);
        await answer.waitFor({ state: "attached" });
        await answer
          .locator("[data-run-end]:not([data-run-end=running])")
          .waitFor({ state: "attached", timeout: LONGEST });
        if ((await answer.locator("[data-run-end=done]").count()) === 0) throw new Error(await answer.innerText());
      },
    };
  }

  function peer({ url }: Serving, name: string): Steps {
    const titled = (page: Page, title: string) =>
      page.waitForFunction((wanted) => document.title === wanted, title, { timeout: LONGEST, polling: 500 });
    return {
      open: async (page) => {
        await page.goto(`${url}/${name}.html?every=${peersEveryMs}`);
        await titled(page, "ready");
        await page.waitForTimeout(2000);
      },
      // Not with a click: under a resting pointer, the browser looks for what it points at after each layout. Our page has none.
      begin: (page) => page.getByRole("button", { name: "Start" }).press("Enter", { timeout: LONGEST }),
      end: async (page) => void (await titled(page, "done")),
    };
  }
}

interface Steps {
  readonly open: (page: Page) => Promise<void>;
  readonly begin: (page: Page) => Promise<void>;
  readonly end: (page: Page) => Promise<void>;
}

async function buildPages(): Promise<void> {
  await build({ root: here("../web"), configFile: here("../web/vite.config.ts"), logLevel: "error" });
  const pages = ["streamdown", "use-chat", "streaming-markdown"].map((name) => here(`peers/web/${name}.html`));
  await build({
    root: here("peers/web"),
    configFile: false,
    logLevel: "error",
    build: { outDir: directory, emptyOutDir: true, rollupOptions: { input: pages } },
  });
}

function save(result: object): string {
  mkdirSync(here("results"), { recursive: true });
  const file = here(`results/web-${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.json`);
  writeFileSync(file, JSON.stringify(result, undefined, 2));
  return path.relative(process.cwd(), file);
}

function about() {
  const { dependencies } = JSON.parse(readFileSync(here("package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const { streamdown, ai, react, "@ai-sdk/react": aiReact, "streaming-markdown": streamingMarkdown } = dependencies;
  return {
    at: new Date().toISOString(),
    machine: { platform: process.platform, arch: process.arch, cores: os.cpus().length, cpu: os.cpus()[0]?.model },
    peers: { streamdown, ai, react, "@ai-sdk/react": aiReact, "streaming-markdown": streamingMarkdown },
  };
}
