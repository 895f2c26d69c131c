import type { BrowserContextOptions } from "playwright-core";
import { expect, test } from "vitest";
import { askingAgent } from "../asking-agent.ts";
import { type Browsing, describeInBrowser, ended, send, violations } from "../browsing.ts";

describeInBrowser("what is always allowed", ({ serve, open }: Browsing) => {
  test.each<[string, BrowserContextOptions]>([
    ["in the light", { colorScheme: "light" }],
    ["on a phone in dark mode", { colorScheme: "dark", viewport: { width: 390, height: 844 } }],
  ])("is shown while the run is in progress, and can be revoked by keyboard, %s", async (_, options) => {
    const page = await open(await serve(askingAgent("Go", "pay", "pay", "wait", "pay")), options);
    const card = (title: string) => page.locator("[data-kind=ask]").filter({ hasText: title });
    const allow = (title: string) => card(title).getByRole("button", { name: "Allow" });
    const list = page.getByRole("group", { name: "Always allowed in this run" });
    await send(page, "Go");
    await card("Allow pay?").getByLabel("Always allow in this run").check();
    expect(await list.count()).toBe(0);
    await allow("Allow pay?").click();
    // The second call did not ask.
    await allow("Allow wait?").waitFor();
    expect(await card("Allow pay?").count()).toBe(1);
    await list.getByText("pay", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);

    const revoke = list.getByRole("button", { name: "Revoke: ask again before pay" });
    await page.reload();
    await revoke.focus();
    await page.keyboard.press("Enter");
    await list.waitFor({ state: "detached" });
    expect(await violations(page)).toEqual([]);
    await allow("Allow wait?").click();

    await allow("Allow pay?").last().waitFor();
    expect(await card("Allow pay?").count()).toBe(2);
    await card("Allow pay?").last().getByLabel("Always allow in this run").check();
    await allow("Allow pay?").last().click();
    await ended(page, "done");
    expect(await list.count()).toBe(0);
  });
});
