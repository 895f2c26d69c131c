import { expect, test } from "vitest";
import { describeInBrowser } from "../browsing.ts";

describeInBrowser("the page", ({ serve, open }) => {
  test("opens", async () => {
    const page = await open(await serve());
    expect(await page.title()).toContain("Runcast");
  });
});
