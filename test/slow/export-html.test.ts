import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";
import { type Browsing, describeInBrowser, violations } from "../browsing.ts";
import { hostileEvents, markup } from "../hostile-events.ts";

const directory = mkdtempSync(path.join(tmpdir(), "runcast-export-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const sourceOf = (events: readonly Event[]): Source =>
  async function* () {
    yield* events;
  };

describeInBrowser("a run saved as HTML", ({ serve, open }: Browsing) => {
  let count = 0;
  /** Saves a run, and opens the file in a page where every request is recorded and fails. */
  const saveAndOpen = async (
    url: string,
    message: string,
  ): Promise<{ page: Page; requests: string[]; html: string }> => {
    const { run } = await createClient({ url }).start({ message }).finished;
    const html = await (await fetch(`${url}/runs/${run}/export.html`)).text();
    const file = path.join(directory, `${++count}.html`);
    writeFileSync(file, html);
    const own = pathToFileURL(file).href;
    const page = await open("about:blank");
    const requests: string[] = [];
    await page.route("**/*", (route) => {
      if (route.request().url() === own) return route.continue();
      requests.push(route.request().url());
      return route.abort();
    });
    await page.context().setOffline(true);
    await page.goto(own);
    return { page, requests, html };
  };

  test("opens without a network, shows the run and plays it", async () => {
    const { page, requests } = await saveAndOpen(await serve(), "How is Lantern doing?");
    const run = page.locator("run-view");
    await run.getByText("Finished").waitFor();
    await run.getByText("You wrote: “How is Lantern doing?”.").waitFor();
    expect(await run.locator("[data-state=error] > summary b").allInnerTexts()).toEqual(["weather_lookup"]);
    const slider = run.getByRole("slider", { name: "Event" });
    const length = Number(await slider.getAttribute("max"));
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await slider.fill("3");
    expect(await run.locator(".call").count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await run.getByText(`Event 4 of ${length}`).waitFor();
    expect(await violations(page)).toEqual([]);
    await run.getByRole("combobox", { name: "Speed" }).selectOption("50×");
    await run.getByRole("button", { name: "Play" }).click();
    await run.getByText(`Event ${length} of ${length}`).waitFor();
    await run.getByText("Finished").waitFor();
    await page.getByText("What was removed").click();
    await page.getByText("nothing was removed").waitFor();
    expect(requests).toEqual([]);
  });

  test("no content of a run becomes markup or leaves the file, and it contains no secrets", async () => {
    const { page, requests, html } = await saveAndOpen(await serve(sourceOf(hostileEvents(markup))), markup);
    const run = page.locator("run-view");
    await run.getByText("Finished").or(run.getByText("Failed")).first().waitFor();
    const slider = run.getByRole("slider", { name: "Event" });
    for (let seq = Number(await slider.getAttribute("max")); seq >= 0; seq--) await slider.fill(`${seq}`);
    await slider.fill("999");
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(await run.locator("img, script, iframe, a[href^='javascript']").count()).toBe(0);
    expect(requests).toEqual([]);
    expect(html).not.toContain("hunter2");
    await page.getByText("What was removed").click();
    await page.getByText("passwords, tokens and keys in fields with such names: 1 removed").waitFor();
  });

  test("it contains an image that a tool created, and files can be saved from it", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const source: Source = async function* (_, { put }) {
      const image = await put(Buffer.from(pixel, "base64"), { mediaType: "image/png", name: "pixel.png" });
      const table = await put("a,b\n1,2\n", { mediaType: "text/csv", name: "table.csv" });
      yield { type: "step-start", step: "s" };
      yield { type: "file", file: image.file, mediaType: "image/png", name: "pixel.png", bytes: image.bytes };
      yield { type: "file", file: table.file, mediaType: "text/csv", name: "table.csv", bytes: table.bytes };
    };
    const { page, requests } = await saveAndOpen(await serve(source), "Draw");
    const image = page.locator("run-view img");
    await image.waitFor();
    expect(await image.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalWidth))).toBe(
      1,
    );
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("run-view").getByRole("link", { name: "table.csv" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe("table.csv");
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([]);
  });

  test("the page saves it too", async () => {
    const url = await serve();
    const { run } = await createClient({ url }).start({ message: "hello" }).finished;
    const page = await open(`${url}/?run=${run}`);
    await page.getByRole("button", { name: "Share" }).click();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as HTML" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe(`${run}.html`);
  });
});
