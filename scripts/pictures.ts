// Takes the screenshots for README and docs from the current page: `npm run pictures`. Needs Chromium.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { native } from "../src/dialects/native.ts";
import { memory } from "../src/logs/memory.ts";
import { demoAgent } from "../src/models/demo.ts";
import { page as builtPage } from "../src/page.ts";
import { createServer } from "../src/server.ts";
import { startDisconnectingProxy } from "../test/disconnecting-proxy.ts";
import { type Scene, scenes, SIZES } from "../test/scenes.ts";
import { buildPageIfStale } from "./build-page.ts";

const only = process.argv.slice(2);
const directory = path.join(import.meta.dirname, "../docs/pictures");
mkdirSync(directory, { recursive: true });
// Removes screenshots of former scenes. Subfolders belong to other scripts.
if (only.length === 0)
  for (const file of readdirSync(directory)) if (file.endsWith(".png")) rmSync(path.join(directory, file));
buildPageIfStale();
const shown = builtPage();

const serve = async ({ speed = 30, keys }: Scene) => {
  const server = createServer({
    agents: { demo: demoAgent({ speed }) },
    log: memory(),
    dialects: [native],
    ...(shown && { page: shown }),
    ...(keys && { keys }),
  });
  return { url: (await server.listen()).url, close: () => server.close() };
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});

const take = async (scene: Scene, size: keyof typeof SIZES, colorScheme: "light" | "dark"): Promise<void> => {
  const server = await serve(scene);
  const proxy = await startDisconnectingProxy(server.url);
  const context = await browser.newContext({ ...SIZES[size], colorScheme, deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  await page.goto(proxy.url);
  await scene.play(page, proxy.disconnect);
  // Nothing should look as if the pointer were on it.
  await page.mouse.move(0, 0);
  // Wait for automatic changes, such as scrolling to the end, which take a frame or two.
  await page.waitForTimeout(300);
  const file = `${scene.name}${size === "phone" ? "-phone" : ""}-${colorScheme}.png`;
  await page.screenshot({ path: path.join(directory, file), animations: "disabled" });
  console.log(`${file}: ${scene.shows}`);
  await context.close();
  await proxy.close();
  await server.close();
};

try {
  for (const scene of scenes) {
    if (only.length > 0 && !only.includes(scene.name)) continue;
    for (const size of scene.sizes)
      for (const colorScheme of ["light", "dark"] as const) await take(scene, size, colorScheme);
  }
} finally {
  await browser.close();
}
