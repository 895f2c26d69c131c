// Takes the pictures of README and docs from the page as it is: `npm run pictures`. Needs Chromium.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { native } from "../src/dialects/native.ts";
import { memory } from "../src/logs/memory.ts";
import { demoAgent } from "../src/models/demo.ts";
import { page as builtPage } from "../src/page.ts";
import { createServer } from "../src/server.ts";
import { buildPageIfStale } from "./build-page.ts";

const directory = path.join(import.meta.dirname, "../docs/pictures");
mkdirSync(directory, { recursive: true });
buildPageIfStale();
const shown = builtPage();
const server = createServer({
  agents: { demo: { source: demoAgent(), model: "demo (scripted)" } },
  log: memory(),
  dialects: [native],
  ...(shown && { page: shown }),
});
const { url } = await server.listen();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});

/** Plays a story and takes a picture as soon as `until` shows. */
const picture = async (name: string, message: string, until: string, size: { width: number; height: number }) => {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ viewport: size, colorScheme, deviceScaleFactor: 2 });
    await page.goto(url);
    await page.getByPlaceholder("Message the agent").fill(message);
    await page.keyboard.press("Enter");
    await page.locator(until).first().waitFor();
    await page.waitForTimeout(500);
    await page.screenshot({ path: path.join(directory, `${name}-${colorScheme}.png`), animations: "disabled" });
    await page.close();
  }
};

try {
  await picture("run", "How is Lantern doing?", ".agent .executing", { width: 860, height: 900 });
  await picture("approval", "Send the report, but ask for my approval first", "text=Always allow", {
    width: 390,
    height: 700,
  });
} finally {
  await browser.close();
  await server.close();
}
