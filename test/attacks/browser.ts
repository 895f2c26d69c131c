import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Page } from "playwright-core";
import { findProgram } from "../components.ts";
import { hostileEvents, markup } from "../hostile-events.ts";
import { hostileMarkdown } from "../web/hostile-markdown.ts";
import { type Attack, type Report, rounds } from "./attack.ts";
import { BOB, as } from "./users.ts";
import { type Target, readRun, startRun } from "./target.ts";

interface Opened {
  readonly page: Page;
  /** The page's requests to other servers, and the dialogs and windows that it opened. */
  readonly asked: string[];
}

/** A browser that is started before the attack. Each round opens a new page. */
const inChromium = async (
  work: (report: Report, opened: Opened) => Promise<void>,
): Promise<ReturnType<Attack["prepare"]>> => {
  const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
  const browser = await chromium.launch({ executablePath: findProgram("chromium")!, args });
  const round = async (report: Report) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("popup", (popup) => asked.push(`a window: ${popup.url()}`));
    await work(report, { page, asked }).catch((error: unknown) => report.expect(false, String(error)));
    await context.close();
  };
  return async (report, signal) => {
    try {
      await rounds(signal, () => round(report));
    } finally {
      await browser.close();
    }
  };
};

/** A run with these events, and the link that shows it. */
const shared = async ({ url }: Target, events: readonly object[]) => {
  const run = await startRun(url, BOB, "player", JSON.stringify(events));
  await readRun(url, BOB, run);
  const made = await fetch(`${url}/runs/${run}/links`, {
    method: "POST",
    headers: { ...as(BOB), "content-type": "application/json" },
    body: "{}",
  });
  return { run, link: url + ((await made.json()) as { url: string }).url };
};

/** Records and blocks every request to another origin. */
const confine = (page: Page, asked: string[], isOwn: (target: URL) => boolean) =>
  page.route(
    (target) => !isOwn(target) && target.protocol !== "data:",
    (route) => {
      asked.push(route.request().url());
      return route.abort();
    },
  );

export const embeds: Attack = {
  name: "embeds in Chromium: one that navigates to another policy",
  needs: "chromium",
  prepare: async (target) => {
    const asked: string[] = [];
    const evil = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(200, { "access-control-allow-origin": "*" }).end("got it");
    }).listen(0, "127.0.0.1");
    evil.unref();
    await new Promise((resolve) => evil.once("listening", resolve));
    const origin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
    const html = `<p>secret words</p><img src="${origin}/image"><script>
      fetch("${origin}/fetch").catch(() => {});
      try { parent.document.title = "hacked"; } catch {}
      setTimeout(() => { location = "/frame?origin=" + encodeURIComponent("${origin}"); }, 50);</script>`;
    const { link } = await shared(target, [
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "c", name: "chart" },
      { type: "tool-input-end", call: "c", input: {} },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "c" },
      { type: "embed", embed: "e", call: "c", html, title: "Evil", origins: [origin] },
      { type: "tool-end", call: "c", outcome: "ok", content: [] },
    ]);
    return await inChromium(async (report, { page }) => {
      await page.goto(link);
      await page.getByRole("button", { name: "Show without this content" }).click();
      await page.getByText("Evil tried to load another document, so it was closed.").waitFor();
      report.expect(asked.length === 0, `an embed reached another origin: ${asked.join(" ")}`);
      report.expect((await page.title()) !== "hacked", "an embed reached the page");
    });
  },
};

export const markdown: Attack = {
  name: "Markdown in Chromium: text that tries to execute or fetch",
  needs: "chromium",
  prepare: async (target) => {
    const text = hostileMarkdown.map(({ name, text: sample }) => `## ${name}\n\n${sample}\n`).join("\n");
    const { link } = await shared(target, [
      { type: "step-start", step: "s" },
      { type: "text-start", part: "p" },
      { type: "text-delta", part: "p", delta: text },
      { type: "text-end", part: "p" },
    ]);
    return await inChromium(async (report, { page, asked }) => {
      await confine(page, asked, ({ origin }) => origin === target.url);
      await page.goto(link);
      await page.locator(".katex").first().waitFor();
      const alive = ".markdown :is(script, iframe, object, embed, style, link, meta, base, form, img)";
      report.expect((await page.locator(alive).count()) === 0, "text became markup");
      report.expect(!(await page.evaluate(() => "hostile" in window)), "text ran");
      report.expect(asked.length === 0, `text reached ${asked.join(" ")}`);
    });
  },
};

export const savedRuns: Attack = {
  name: "export in Chromium: a saved run that tries to execute or fetch",
  needs: "chromium",
  prepare: async (target) => {
    const { run } = await shared(target, hostileEvents(markup));
    return await inChromium(async (report, { page, asked }) => {
      const html = await (await fetch(`${target.url}/runs/${run}/export.html`, { headers: as(BOB) })).text();
      report.expect(!html.includes("hunter2"), "a saved run contains a password");
      const directory = await mkdtemp(path.join(tmpdir(), "runcast-saved-"));
      try {
        const file = path.join(directory, "run.html");
        await writeFile(file, html);
        await confine(page, asked, ({ href }) => href === pathToFileURL(file).href);
        await page.goto(pathToFileURL(file).href);
        const view = page.locator("run-view");
        await view.getByText("click").first().waitFor();
        report.expect(!(await page.evaluate(() => "hacked" in window)), "a saved run executed text");
        const alive = await view.locator("img, script, iframe, a[href^='javascript']").count();
        report.expect(alive === 0, "text became markup in a saved run");
        report.expect(asked.length === 0, `a saved run reached ${asked.join(" ")}`);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });
  },
};
