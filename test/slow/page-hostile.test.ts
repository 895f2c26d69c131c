import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";
import { hostileMarkdown, markdownBombs } from "../web/hostile-markdown.ts";

/** An agent that emits one text, in deltas of this length. */
const says = (text: string, length: number): Source =>
  async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "t" };
    for (let from = 0; from < text.length; from += length)
      yield { type: "text-delta", part: "t", delta: text.slice(from, from + length) };
    yield { type: "text-end", part: "t" };
    yield { type: "step-end", step: "s", finish: "stop" };
  };

/** Records and blocks requests to other origins, dialogs and popups. */
const watch = async (page: Page, url: string): Promise<string[]> => {
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", (popup) => asked.push(`popup ${popup.url()}`));
  await page.route(
    (target) => target.origin !== new URL(url).origin,
    (route) => {
      asked.push(route.request().url());
      return route.abort();
    },
  );
  return asked;
};

const hasRun = (page: Page): Promise<unknown> => page.evaluate(() => (window as { hostile?: number }).hostile);

describeInBrowser("hostile text on the page", ({ serve, open }: Browsing) => {
  test("runs nothing and fetches nothing", async () => {
    const text = hostileMarkdown.map(({ name, text }) => `## ${name}\n\n${text}\n`).join("\n");
    const url = await serve(says(text, 40));
    const page = await open(url);
    const asked = await watch(page, url);
    await send(page, "Go");
    await ended(page, "done");
    await page.locator(".katex").first().waitFor();
    expect(await page.locator(".markdown").last().innerText()).toContain("<script>window.hostile=");
    const alive = page.locator(".markdown :is(script, iframe, object, embed, style, link, meta, base, form, img)");
    expect(await alive.count()).toBe(0);
    const attributes = await page
      .locator(".markdown *")
      .evaluateAll((all) => all.flatMap((one) => one.getAttributeNames().filter((name) => /^on|^srcdoc$/.test(name))));
    expect(attributes).toEqual([]);
    const links = await page
      .locator(".markdown a")
      .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect(link).toMatch(/^(?:https?:\/\/(?![^/]*@)|mailto:)/);
    for (const button of await page.locator(".markdown a").all()) {
      expect(await button.getAttribute("rel")).toBe("noreferrer noopener");
      expect(await button.getAttribute("target")).toBe("_blank");
    }
    const deceiving = page.locator(".markdown a", { hasText: "https://bank.example" });
    expect(await deceiving.first().evaluate((one) => one.nextElementSibling?.textContent)).toBe("elsewhere.example");
    expect(await page.locator(".markdown").last().innerText()).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    expect(await hasRun(page)).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  test("an image from another host waits for the user's permission", async () => {
    const picture = (host: string) => `![a chart](https://${host}/chart.png)\n\n`;
    const url = await serve(says(picture("one.example") + picture("two.example") + picture("two.example"), 20));
    const page = await open(url);
    const asked = await watch(page, url);
    await send(page, "Go");
    await ended(page, "done");
    expect(asked).toEqual([]);
    await page.getByRole("button", { name: "Show image" }).first().click();
    await expect.poll(() => asked).toEqual(["https://one.example/chart.png"]);
    await page
      .getByRole("button", { name: /Always from two\.example/ })
      .first()
      .click();
    await expect
      .poll(() => new Set(asked))
      .toEqual(new Set(["https://one.example/chart.png", "https://two.example/chart.png"]));
    expect(await page.getByRole("button", { name: "Show image" }).count()).toBe(0);
  });

  test("pathological input does not freeze the page", async () => {
    const text = markdownBombs.map(({ name, text }) => `## ${name}\n\n${text.slice(0, 60_000)}\n`).join("\n");
    const url = await serve(says(text, 4000));
    const page = await open(url);
    const asked = await watch(page, url);
    await send(page, "Go");
    await ended(page, "done");
    expect(await page.evaluate(() => 1 + 1)).toBe(2);
    await page.getByRole("textbox", { name: "Message the agent" }).fill("Still there?");
    expect(await page.locator(".markdown").last().innerText()).toContain("numbers without end");
    expect(asked).toEqual([]);
  });
});
