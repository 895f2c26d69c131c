import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { FORWARDED } from "../account.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { pictureOf } from "../picture.ts";

const root = path.join(import.meta.dirname, "../../../..");
const GUIDE = readFileSync(path.join(root, "docs/guides/open-webui.md"), "utf8");
const PIPE = readFileSync(path.join(root, "pipe/runcast_pipe.py"), "utf8");

/** The menus of the newest version. Older versions arrange them differently. */
const isNewest = process.env.RUNCAST_OPEN_WEBUI === "newest";

describeLive("the guide's steps, by hand", ({ program }) => {
  const live = useLive(program);

  test("the headers to paste are those that the tests send", () => {
    const [, block = ""] = /```json\s*(\{[^`]*X-OpenWebUI-Chat-Id[^`]*\})\s*```/.exec(GUIDE) ?? [];
    expect(JSON.parse(block)).toEqual(FORWARDED);
  });

  test.runIf(isNewest)("a connection", async () => {
    await live.account.connect();
    const { page } = await live.open();
    await page.goto(`${live.openWebUi.url}/admin/settings/connections`);
    await page.getByRole("button", { name: "Add Connection" }).first().click();
    await page.locator("#url-input").fill(`${live.runcast}/open-webui/v1`);
    await page.getByText("Advanced", { exact: true }).last().click();
    await page.getByPlaceholder("API Key").last().fill("a-key");
    const headers = page.getByPlaceholder("Enter additional headers in JSON format");
    await headers.fill(JSON.stringify(FORWARDED, undefined, 2));
    await page.locator("#url-input").focus();
    await pictureOf(page, "add-connection");
    await page.getByRole("button", { name: "Save" }).last().click();
    await page.getByText("OpenAI API settings updated").first().waitFor();
    await expect.poll(() => live.account.models()).toContain("storyteller");
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Thinking");
    await chat.answer.getByText("They hear well.").waitFor();
  });

  test.runIf(isNewest)("the pipe in four steps", async () => {
    await live.account.connect();
    const { page } = await live.open();
    await page.goto(`${live.openWebUi.url}/admin/functions`);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByPlaceholder("Function Name").fill("Runcast by hand");
    await page.getByPlaceholder("Function Description").fill("The agents of Runcast");
    await page.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText(PIPE);
    await page.getByRole("button", { name: "Save & Create" }).click();
    await page.getByRole("button", { name: "Confirm" }).click();
    const row = page
      .locator("div", { hasText: "Runcast by hand" })
      .filter({ has: page.getByLabel("Valves") })
      .filter({ has: page.getByLabel("Enabled") })
      .last();
    await row.getByRole("button", { name: "Valves" }).click();
    await page.getByRole("button", { name: "Default" }).first().click();
    await page.getByPlaceholder("Runcast Url").fill(live.runcast);
    await pictureOf(page, "valves");
    await page.getByRole("button", { name: "Save" }).last().click();
    await page.getByText("Valves updated successfully").waitFor();
    // The dialog stays open. A click next to it closes it.
    await page.getByRole("dialog").click({ position: { x: 5, y: 5 } });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await row.getByLabel("Enabled").click();
    await expect.poll(() => live.account.models()).toContain("runcast_by_hand.storyteller");
    const chat = await live.open({ model: "runcast_by_hand.storyteller" });
    await chat.send("Confirming");
    await chat.page.getByRole("button", { name: "Confirm" }).click();
    await chat.answer.getByText("It is settled: the attic is tidy").waitFor();
  });
});
