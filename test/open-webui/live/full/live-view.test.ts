import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

const PIPE = readFileSync(path.join(import.meta.dirname, "../../../../pipe/runcast_pipe.py"), "utf8");
const SIZE = { width: 900, height: 900 };

describeLive("the style live", ({ program }) => {
  const live = useLive(program);

  test.each(["light", "dark"] as const)(
    "three sub-agents and an approval, answered in the message, without Python: %s",
    async (colorScheme) => {
      const chat = await live.open({ model: "storyteller:live", size: SIZE, colorScheme });
      await chat.send("Team");
      const frame = chat.answer.frameLocator("iframe");
      await live.gates.reached("owls");
      await live.gates.reached("bats");
      const allow = frame.getByRole("button", { name: /^Allow/ }).first();
      await allow.waitFor();
      await expect.poll(() => frame.locator('[data-kind="agent"]').count()).toBe(3);
      if (colorScheme === "light") await picture(chat, "style-live-running-light");
      // With the keyboard, because the chat may still scroll and a click would miss.
      await allow.press("Enter");
      live.gates.open("owls");
      live.gates.open("bats");
      await chat.answer.getByText("The books are read, and the letter is sent.").first().waitFor();
      await chat.finished();
      await frame.locator('[data-run-end="done"]').waitFor();
      expect(await chat.lines()).toEqual(["Three at once.", "The books are read, and the letter is sent."]);
      await frame.getByRole("button", { name: "Timeline" }).click();
      await frame.getByRole("list", { name: "Timeline" }).getByText("clerk").first().waitFor();
      if (colorScheme === "dark") await picture(chat, "style-live-timeline-dark");

      const [answer] = (await live.account.messages(await chat.chat())).filter(({ role }) => role === "assistant");
      const [stored] = (answer?.["embeds"] ?? []) as string[];
      expect(stored).toContain("/live?run=");
      const token = new URL(stored!).searchParams.get("token");
      const access = await fetch(`${live.runcast}/runs/${live.started[0]}/access?token=${token}`);
      expect(await access.json()).toMatchObject({ watch: true, answer: false, cancel: false, share: false });

      await chat.reload();
      await chat.answer.frameLocator("iframe").locator('[data-run-end="done"]').waitFor();
      expect(live.started).toHaveLength(1);
    },
  );

  test("through the pipe no dialog opens: the message answers", async () => {
    await live.account.install("runcast", PIPE, { RUNCAST_URL: live.runcast, STYLE: "live" });
    const chat = await live.open({ model: "runcast.storyteller", size: SIZE });
    await chat.send("Approving");
    await chat.answer
      .frameLocator("iframe")
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await chat.answer.getByText("The letter to Ines is on its way.").first().waitFor();
    await chat.finished();
    expect(await chat.page.getByRole("dialog").count()).toBe(0);
  });

  test("what a tool embeds appears below the view, also after a reload", async () => {
    const chat = await live.open({ model: "storyteller:live", size: SIZE });
    await chat.send("Everything");
    await live.gates.reached("all");
    await chat.answer.locator("iframe").nth(1).contentFrame().getByText("Embedded").waitFor();
    await chat.answer.frameLocator("iframe >> nth=0").getByText("show_all").first().waitFor();
    live.gates.open("all");
    await chat.answer.getByText("That was all.").first().waitFor();
    await chat.finished();
    await chat.reload();
    await chat.answer.locator("iframe").nth(1).contentFrame().getByText("Embedded").waitFor();
    await chat.answer.frameLocator("iframe >> nth=0").locator('[data-run-end="done"]').waitFor();
  });
});
