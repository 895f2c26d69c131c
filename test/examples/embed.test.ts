import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createSite } from "../../examples/embed/site.ts";
import { type Browsing, describeInBrowser, violations } from "../browsing.ts";
import { onStop } from "../serving.ts";

describeInBrowser("the example that embeds a run", ({ serve, open }: Browsing) => {
  test("its page asks, and shows the run live with a token of its own", async () => {
    const key = "only-the-site-knows-this";
    const site = createSite({ url: await serve(undefined, { key }), key });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    onStop(() => site.close());
    const page = await open(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText("The run ended: done").waitFor();
    await page.locator("run-view").getByText("You wrote: “How is Lantern doing?”.").waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await violations(page)).toEqual([]);
  });
});
