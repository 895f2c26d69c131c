// Draws docs/pictures/design/tokens.png from the page's tokens: `npm run pictures:design`. Needs Chromium.
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";

const root = path.join(import.meta.dirname, "..");
const css = readFileSync(path.join(root, "web/src/tokens.css"), "utf8");
const directory = path.join(root, "docs/pictures/design");

const colors = [...css.matchAll(/^ {2}--([a-z-]+): (light-dark\([^)]*\)|#\w+|rgb\([^)]*\));$/gm)].map(
  ([, name]) => name!,
);
const sized = (kind: string) =>
  [...css.matchAll(new RegExp(`^ {2}--${kind}-([a-z0-9]+): ([^;]+);$`, "gm"))].map(([, name, size]) => [name!, size!]);
const spaces = /Distances are ([^*]*) of it/
  .exec(css)![1]!
  .match(/[\d.]+/g)!
  .map(Number);

const swatch = (name: string) => `<figure><i style="background: var(--${name})"></i>${name}</figure>`;
const theme = (scheme: string) => `<section style="color-scheme: ${scheme}">
  <h2>${scheme}</h2>
  <div class="row">${colors.map(swatch).join("")}</div>
  <div class="lines">${sized("text")
    .map(
      ([name, size]) =>
        `<p style="font-size: ${size}">${name}: What the agent does, ${Number.parseFloat(size!) * 16} px</p>`,
    )
    .join("")}</div>
  <div class="row">${spaces.map((steps) => `<figure><b style="width: ${steps * 4}px"></b>${steps}</figure>`).join("")}</div>
  <div class="row">${sized("radius")
    .map(([name, size]) => `<figure><i style="border-radius: ${size}; background: var(--message)"></i>${name}</figure>`)
    .join("")}${sized("shadow")
    .map(([name, size]) => `<figure><i style="box-shadow: ${size}; background: var(--card)"></i>${name}</figure>`)
    .join("")}</div>
</section>`;

const document = `<style>
${css.replaceAll(/@theme \w+ \{[\s\S]*?\n\}/g, "")}
body { margin: 0; display: grid; grid-template-columns: 1fr 1fr; font: 12px/1.4 system-ui, sans-serif; }
section { padding: 20px; background: var(--page); color: var(--ink); display: grid; gap: 16px; align-content: start; }
h2 { margin: 0; font-size: 16px; }
.row { display: flex; flex-wrap: wrap; gap: 12px; align-items: start; }
.lines p { margin: 0 0 4px; line-height: 1.3; }
figure { margin: 0; display: grid; gap: 4px; color: var(--soft); width: 101px; }
i { height: 32px; border: 1px solid var(--line); border-radius: 6px; }
b { height: 12px; background: var(--accent); }
</style>${theme("light")}${theme("dark")}`;

mkdirSync(directory, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 400 } });
  await page.setContent(document);
  await page.screenshot({ path: path.join(directory, "tokens.png"), fullPage: true });
} finally {
  await browser.close();
}
