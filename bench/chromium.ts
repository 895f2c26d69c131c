import { execFileSync } from "node:child_process";
import { type Browser, chromium } from "playwright-core";

/** Starts the system's Chromium, quiet enough to be measured. */
export const launchChromium = (): Promise<Browser> => {
  const executablePath = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--enable-precise-memory-info",
  ];
  return chromium.launch({ executablePath, args });
};
