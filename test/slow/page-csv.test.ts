import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Content, Event } from "../../src/events.ts";
import type { RunContext } from "../../src/source.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";

const card = (page: Page, name: string) => page.getByRole("article", { name: `Tool ${name}`, exact: true });
const opener = (page: Page, name: string) => card(page, name).getByRole("button", { expanded: false }).first();

describeInBrowser("comma-separated values on the page", ({ serve, open }: Browsing) => {
  test.each([
    ["on a desktop", {}],
    ["on a phone in dark mode", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true }],
  ] as const)(
    "results and files that are CSV are tables, %s; what only resembles it stays text",
    async (_, options) => {
      const rows = Array.from({ length: 60 }, (__, row) => `"Doe, J. ${row}",${row}.50,"<b>""bold""</b> \u202Etxt"`);
      const csv = ["name,Price (EUR),note", ...rows].join("\r\n");
      const call = (name: string, content: readonly Content[]): Event[] => [
        { type: "step-start", step: name },
        { type: "tool-start", call: name, name },
        { type: "tool-input-end", call: name, input: {} },
        { type: "step-end", step: name, finish: "tools" },
        { type: "tool-execute", call: name },
        { type: "tool-end", call: name, outcome: "ok", content: [...content] },
      ];
      const file = async (context: RunContext, text: string, name: string): Promise<readonly Content[]> => [
        { type: "file", ...(await context.put(text, { mediaType: "text/csv", name })) },
      ];
      const url = await serve(async function* (__, context) {
        yield* call("query", [{ type: "text", text: csv }]);
        yield* call("say", [{ type: "text", text: "Well, yes.\nNo, not quite.\nSo, what now?" }]);
        yield* call("export", await file(context, "id;name\n007;Ann\n008;Bob\n", "people.csv"));
        yield* call("break", await file(context, 'a,b\n1,"2\n', "broken.csv"));
      });
      const page = await open(url, options);
      await send(page, "go");
      await ended(page, "done");
      await page.locator("[data-folded]").click();
      for (const name of ["query", "say", "export", "break"]) await opener(page, name).click();
      const query = card(page, "query");
      await query.getByText("rows 1 to 50 of 60").waitFor();
      expect(await query.getByRole("columnheader").allInnerTexts()).toEqual(["name", "Price (EUR)", "note"]);
      expect(await query.locator("tbody tr").first().innerText()).toBe('Doe, J. 0\t0.50\t<b>"bold"</b> ⟦U+202E⟧txt');
      expect(await query.locator("tbody b").count()).toBe(0);
      await query.getByRole("button", { name: "Show raw" }).click();
      await query.locator("pre", { hasText: "name,Price (EUR),note" }).waitFor();
      await query.getByRole("button", { name: "Show as table" }).click();
      await query.getByRole("table").waitFor();
      expect(await card(page, "say").getByRole("table").count()).toBe(0);
      await card(page, "say").getByText("Well, yes.").waitFor();
      const made = card(page, "export");
      await made.getByRole("cell", { name: "008" }).waitFor();
      expect(await made.locator("tbody tr").allInnerTexts()).toEqual(["007\tAnn", "008\tBob"]);
      const table = made.getByRole("button", { name: "Table", exact: true });
      expect(await table.getAttribute("aria-pressed")).toBe("true");
      await table.click();
      await made.locator("pre", { hasText: "007;Ann" }).waitFor();
      await card(page, "break").locator("pre", { hasText: '1,"2' }).waitFor();
      expect(await card(page, "break").getByRole("table").count()).toBe(0);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    },
  );
});
