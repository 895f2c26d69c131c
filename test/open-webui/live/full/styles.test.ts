import { expect, test } from "vitest";
import { STYLES } from "../../../../src/dialects/open-webui/styles.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

describeLive("each style", ({ program }) => {
  const live = useLive(program);

  test.each(STYLES)("%s: told while it runs, and after a reload as it was", async (style) => {
    const chat = await live.open({ model: `storyteller:${style}` });
    await chat.send("Birds and bats");
    await live.gates.reached("owls");
    await expect.poll(() => chat.answer.innerText()).toMatch(/look_up|Looking up owls/);
    await picture(chat, `style-${style}-running`);
    live.gates.open("owls");
    await live.gates.reached("bats");
    live.gates.open("bats");
    await chat.answer.getByText("Owls and bats fly at night.").first().waitFor();
    await chat.finished();
    const lines = await chat.lines();
    expect(lines).toContain("Owls and bats fly at night.");
    await picture(chat, `style-${style}`);
    await chat.reload();
    await chat.answer.getByText("Owls and bats fly at night.").first().waitFor();
    await expect.poll(() => chat.lines()).toEqual(lines);
    await picture(chat, `style-${style}-reloaded`);
  });

  test("collapse: the steps open as one block", async () => {
    const chat = await live.open({ model: "storyteller:collapse" });
    live.gates.open("owls");
    live.gates.open("bats");
    await chat.send("Birds and bats");
    await chat.answer.getByText("Owls and bats fly at night.").first().waitFor();
    await chat.finished();
    await chat.answer.getByText("🔍 Execution Steps (2 tools)").click();
    await chat.answer.getByText("All about bats.").waitFor();
    await picture(chat, "style-collapse-open");
  });

  test("an approval without the pipe is answered on the page that it links to", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Approving");
    const link = chat.answer.locator('a[href*="?run="]').first();
    await link.waitFor();
    await picture(chat, "approval-link");
    const page = await chat.page.context().newPage();
    await page.goto((await link.getAttribute("href")) ?? "");
    await page
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await chat.answer.getByText("The letter to Ines is on its way.").first().waitFor();
  });
});
