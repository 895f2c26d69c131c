import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { ChatPage } from "../chat-page.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

const PIPE = readFileSync(path.join(import.meta.dirname, "../../../../pipe/runcast_pipe.py"), "utf8");
const model = "runcast.storyteller";

describeLive("the pipe", ({ program }) => {
  const live = useLive(program);
  beforeAll(async () => {
    await live.account.connect();
    await live.account.install("runcast", PIPE, { RUNCAST_URL: live.runcast });
  }, 60_000);

  const dialog = ({ page }: ChatPage) =>
    page.locator("div.fixed", { has: page.getByRole("button", { name: "Confirm" }) }).last();
  const confirm = async (chat: ChatPage) => chat.page.getByRole("button", { name: "Confirm" }).click();
  const deny = async (chat: ChatPage) => chat.page.getByRole("button", { name: "Cancel" }).click();

  describe.each(["native", "legacy"] as const)("in %s mode", (mode) => {
    beforeAll(() => live.account.setModel(model, { mode }));

    test("a tool spins while it runs, then shows its result, and a reload shows the same", async () => {
      const chat = await live.open({ model });
      await chat.send("One tool");
      await live.gates.reached("owls");
      await chat.answer.getByText("Executing look_up").waitFor();
      await expect.poll(() => chat.status.innerText()).toBe("Looking up owls");
      live.gates.open("owls");
      await chat.answer.getByText("Owls are birds of the night.").waitFor();
      await chat.finished();
      const shown = ["First I look it up.", "View Result from look_up", "Owls are birds of the night."];
      await expect.poll(() => chat.lines()).toEqual(shown);
      await chat.reload();
      await chat.answer.getByText("Owls are birds of the night.").waitFor();
      await expect.poll(() => chat.lines()).toEqual(shown);
      expect(live.started).toHaveLength(1);
    });

    test("a tool asks for a confirmation, and gets it", async () => {
      const chat = await live.open({ model });
      await chat.send("Confirming");
      await chat.page.getByText("Tidy the attic?").first().waitFor();
      await picture(chat, "dialog-confirmation", { isWhole: true });
      await confirm(chat);
      await chat.answer.getByText("It is settled: the attic is tidy").waitFor();
    });

    test("a tool asks for text, and gets it", async () => {
      const chat = await live.open({ model });
      await chat.send("Asking");
      await chat.page.getByText("Who are you?").first().waitFor();
      await dialog(chat).locator("input, textarea").last().fill("Ada & <b>");
      await picture(chat, "dialog-input", { isWhole: true });
      await confirm(chat);
      await chat.answer.getByText("Good evening, Ada &").waitFor();
    });

    test("a tool asks for a choice", async () => {
      const chat = await live.open({ model });
      await chat.send("Choosing");
      await chat.page.getByText("Which colour?").first().waitFor();
      await picture(chat, "dialog-choice", { isWhole: true });
      await dialog(chat).locator("select").selectOption({ label: "Blue" });
      await confirm(chat);
      await chat.answer.getByText("Painted blue.").waitFor();
    });

    test("a call that needs permission is denied, and the tool does not run", async () => {
      const chat = await live.open({ model });
      await chat.send("Approving");
      await chat.page.getByText("send_letter?").first().waitFor();
      await picture(chat, "dialog-approval", { isWhole: true });
      await deny(chat);
      await chat.answer.getByText("I did not send it.").waitFor();
    });

    test("DEBUG shows the mode and versions in the status line", async () => {
      await live.account.install("debugging", PIPE, { RUNCAST_URL: live.runcast, DEBUG: true });
      await live.account.setModel("debugging.storyteller", { mode });
      const chat = await live.open({ model: "debugging.storyteller" });
      await chat.send("One tool");
      await live.gates.reached("owls");
      await expect.poll(() => chat.status.innerText()).toBe("Looking up owls");
      // On 0.10.2 the page of a new chat may miss the very first line, but it is stored.
      await chat.page.reload();
      await chat.status.click();
      const debugLine = new RegExp(
        `debug: run=.*open-webui=${live.openWebUi.version.replaceAll(".", "\\.")}; mode=${mode}`,
      );
      await chat.answer.getByText(debugLine).first().waitFor();
    });

    test("Stop ends the tool within a second", async () => {
      const chat = await live.open({ model });
      await chat.send("One tool");
      await live.gates.reached("owls");
      await chat.answer.getByText("Executing look_up").waitFor();
      const pressed = performance.now();
      await chat.stop();
      expect((await live.gates.left("owls")) - pressed).toBeLessThan(1000);
      await chat.finished();
    });
  });

  test("a document that the user attaches reaches the agent's tools", async () => {
    const chat = await live.open({ model });
    const buffer = Buffer.from("bird;night\nowl;yes\n");
    await chat.page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: "owls.csv", mimeType: "text/csv", buffer });
    await chat.page.getByText("owls.csv").first().waitFor();
    // Versions before 0.11 refuse to send while a file is uploading.
    await expect.poll(() => chat.page.locator('form [class*="spinner"]').count()).toBe(0);
    await chat.send("Which documents do you have?");
    await chat.answer.getByText(`I have owls.csv (${buffer.length} bytes).`).waitFor();
  });

  test("an unreachable server is reported in one sentence", async () => {
    await live.account.install("gone", PIPE, { RUNCAST_URL: "http://127.0.0.1:9" });
    const chat = await live.open({ model: "gone.default" });
    await chat.send("Anyone?");
    await chat.answer.getByText("Runcast is not reachable at http://127.0.0.1:9").first().waitFor();
    await chat.finished();
    await picture(chat, "not-reachable");
    await expect.poll(() => chat.status.innerText()).toBe("Runcast: no response");
  });
});
