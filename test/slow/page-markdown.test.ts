import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { randomFrom } from "../random.ts";
import { markdownCorpus } from "../web/markdown-corpus.ts";

/** An agent that emits a text a few characters at a time, so that the page renders many prefixes of it. */
const says = (text: string, seed: number): Source =>
  async function* () {
    const random = randomFrom(seed);
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "t" };
    for (let from = 0; from < text.length;) {
      const length = 1 + Math.floor(random() * 6);
      yield { type: "text-delta", part: "t", delta: text.slice(from, from + length) };
      from += length;
      if (random() < 0.4) await wait(4);
    }
    yield { type: "text-end", part: "t" };
    yield { type: "step-end", step: "s", finish: "stop" };
  };

const shown = (page: Page): Promise<string> => page.locator(".markdown").last().innerHTML();

/** Resolves when syntax highlighting and formulas are loaded. They are fetched on first use. Colors may still arrive. */
const settled = async (page: Page): Promise<void> => {
  await page.locator(".markdown .md-keyword").first().waitFor();
  await page.locator(".markdown .katex").first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".markdown .md-source").length === 0);
};

const CODE = "```ts\nconst one = 1;\nconst two = one;\n\nconst three = `${two}`;\n```\n";
const MORE = [
  "See www.example.com and https://example.com/a_b, or write to someone@example.com. Then $a_b^2$ and \\(x\\).",
  "see [a text that is longer than what is shown as a link at once, by quite a bit, and then ends](https://a.example) so",
  "a ~ b ~~gone~~ *it **both** it* __b__ `code` and `more`",
  "- [ ] to do\n- [x] done\n- [y] neither",
  "A heading by underline\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | **4** |",
];

describeInBrowser("Markdown on the page", ({ serve, open, openBeside }: Browsing) => {
  test("what was shown while streaming is what is shown at the end", async () => {
    const text = [...MORE, CODE, ...markdownCorpus, CODE, ...MORE].join("\n\n<!-- -->\n\n");
    const url = await serve(says(text, 11));
    const page = await open(url);
    await send(page, "Go");
    await ended(page, "done");
    await settled(page);
    expect(await violations(page)).toEqual([]);
    const loaded = await openBeside(page, page.url());
    await ended(loaded, "done");
    await settled(loaded);
    const difference = async (): Promise<string> => {
      const [streamed, whole] = [await shown(page), await shown(loaded)];
      let same = 0;
      while (same < streamed.length && streamed[same] === whole[same]) same++;
      return streamed === whole ? "" : `${streamed.slice(same, same + 200)}\n${whole.slice(same, same + 200)}`;
    };
    await expect.poll(difference).toBe("");
  });

  test("code can be copied as it was written", async () => {
    const url = await serve(says(CODE, 3));
    const page = await open(url, { permissions: ["clipboard-read", "clipboard-write"] });
    await send(page, "Go");
    await ended(page, "done");
    await page.locator(".markdown").getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      CODE.split("\n").slice(1, -2).join("\n") + "\n",
    );
  });

  test("the button that copies code stays in view while long code scrolls", async () => {
    const code = `\`\`\`ts\n${"const one = 1;\n".repeat(100)}\`\`\`\n`;
    const page = await open(await serve(says(code, 7)));
    await send(page, "Go");
    await ended(page, "done");
    await page.locator(".markdown pre").evaluate((pre) => pre.scrollIntoView({ block: "center" }));
    const list = await page.getByRole("region", { name: "Conversation" }).boundingBox();
    const copy = page.locator(".markdown").getByRole("button", { name: "Copy" });
    await expect.poll(async () => (await copy.boundingBox())!.y - list!.y).toBeLessThan(40);
    expect((await copy.boundingBox())!.y).toBeGreaterThanOrEqual(list!.y);
  });

  test("on a phone, wide tables and formulas scroll, also with the keyboard, and words in tables stay whole", async () => {
    const table = "| Step | Duration | Can be undone | Risk |\n|:--|--:|:-:|:--|\n| Compare | 24 h | yes | Slower |\n";
    const long = `| Hash | Name |\n|---|---|\n| ${"0123456789abcdef".repeat(8)} | one |\n`;
    const formula = `$$\n${"a + b + c + ".repeat(12)}d\n$$\n`;
    const page = await open(await serve(says([table, long, formula].join("\n\n"), 5)), {
      viewport: { width: 390, height: 780 },
    });
    await send(page, "Go");
    await ended(page, "done");
    const heads = await page.locator(".markdown th").evaluateAll((cells) =>
      cells.flatMap((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const lines = new Set([...range.getClientRects()].map(({ top }) => top)).size;
        return lines > cell.textContent.split(" ").length ? [cell.textContent] : [];
      }),
    );
    expect(heads).toEqual([]);
    // A hash wraps, instead of making its column as wide as itself.
    const widths = await page.locator(".markdown td").evaluateAll((cells) => cells.map((cell) => cell.clientWidth));
    expect(Math.max(...widths)).toBeLessThanOrEqual(24 * 16);
    await page.locator(".markdown .katex").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
