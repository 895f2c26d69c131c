import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type Page } from "playwright-core";
import { expect } from "vitest";

/** A browser whose pages are hidden with their window. */
export interface HideableBrowser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/**
 * Starts the browser itself, because in a browser that Playwright launches, or in a context that it creates, every page
 * counts as visible and focused (`Emulation.setFocusEmulationEnabled`), even in a minimized window or behind another tab.
 */
export const launchHideable = async (executablePath: string, args: readonly string[]): Promise<HideableBrowser> => {
  const profile = await mkdtemp(path.join(tmpdir(), "hideable-"));
  const own = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"];
  const child = spawn(executablePath, [...args, ...own], { stdio: ["ignore", "ignore", "pipe"] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const endpoint = await new Promise<string>((resolve, reject) => {
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const found = /DevTools listening on (\S+)/.exec(printed)?.[1];
      if (found) resolve(found);
    });
    child.once("error", reject);
    void gone.then(() => reject(new Error(`the browser did not start\n${printed}`)));
  });
  const browser = await chromium.connectOverCDP(endpoint, { noDefaults: true });
  return {
    newPage: () => browser.contexts()[0]!.newPage(),
    close: async () => {
      await browser.close();
      child.kill();
      await gone;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** Minimizes or restores the window of a page in a hideable browser. */
export const setHidden = async (page: Page, isHidden: boolean): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const { windowId } = await session.send("Browser.getWindowForTarget");
  const windowState = isHidden ? "minimized" : "normal";
  await session.send("Browser.setWindowBounds", { windowId, bounds: { windowState } });
  await session.detach();
  await expect.poll(() => page.evaluate(() => document.hidden)).toBe(isHidden);
};
