import { expect, test } from "vitest";
import { type Browsing, describeInBrowser, violations } from "../browsing.ts";
import { scenes, SIZES } from "../scenes.ts";

describeInBrowser("every state that has a picture", ({ serve, open }: Browsing) => {
  test.each(scenes)("$name: axe finds nothing wrong, in light and in dark", async ({ sizes, play }) => {
    const url = await serve();
    for (const [index, size] of sizes.entries()) {
      const page = await open(url, { viewport: SIZES[size], colorScheme: index === 0 ? "light" : "dark" });
      await play(page);
      expect(await violations(page), size).toEqual([]);
      await page.emulateMedia({ colorScheme: index === 0 ? "dark" : "light" });
      expect(await violations(page), size).toEqual([]);
      await page.context().close();
    }
  });
});
