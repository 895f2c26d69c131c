import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { ChatPage } from "../chat-page.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

const pipeIn = (file: string): string => readFileSync(path.join(import.meta.dirname, "..", file), "utf8");

describeLive("the pipes of other families", ({ program }) => {
  const live = useLive(program);
  beforeAll(async () => {
    const { account, runcast } = live;
    await account.connect();
    await account.install("ralph", pipeIn("ralph_pipe.py"), { RALPH_SERVICE_URL: `${runcast}/ralph/study` });
    await account.install("deep", pipeIn("deep_agent_pipe.py"), {
      DEEP_AGENT_URL: `${runcast}/deep-agent/storyteller`,
    });
    for (const model of ["ralph", "deep"]) await account.setModel(model, {});
  }, 60_000);

  describe("Ralph's, in front of /ralph", () => {
    /** The family's pipe emits its text and returns nothing. The newest version stores the text, but hides it until a reload. */
    const ended = async (chat: ChatPage) => {
      await expect.poll(() => chat.status.innerText()).toBe("Complete");
      await chat.finished();
      if (!live.openWebUi.version.startsWith("0.10.")) await chat.reload();
    };

    test("the student's profile: a result to view for each tool, between the two texts", async () => {
      const chat = await live.open({ model: "ralph" });
      await chat.send("What's in my student profile?");
      await ended(chat);
      await expect
        .poll(() => chat.lines())
        .toEqual([
          "Let me check your student profile.",
          "View Result from list_memory_blocks",
          "View Result from read_memory_block",
          "Your student profile shows that you're studying CS...",
        ]);
      await chat.card("read_memory_block").getByText("View Result from").click();
      await chat.card("read_memory_block").getByText("student", { exact: true }).first().waitFor();
      await chat.card("read_memory_block").getByText("I'm studying CS").first().waitFor();
      await picture(chat, "ralph-profile");
      expect(live.started).toHaveLength(1);
    });

    test("a file that does not exist: the block says so, between the two texts", async () => {
      const chat = await live.open({ model: "ralph" });
      await chat.send("/Rev Quiz me on chapter 9");
      await ended(chat);
      await expect
        .poll(() => chat.lines())
        .toEqual(["Let me read it first.", "View Result from read_file", expect.stringMatching(/^I cannot read/)]);
      await chat.card("read_file").getByText("View Result from").click();
      await chat.card("read_file").getByText("Error: ").first().waitFor();
      await picture(chat, "ralph-missing-file");
    });
  });

  describe("Deep Agent's, in front of /deep-agent", () => {
    test("a tool is a status while it runs, then a source with its whole result, also after a reload", async () => {
      const chat = await live.open({ model: "deep" });
      await chat.send("One tool");
      await live.gates.reached("owls");
      await expect.poll(() => chat.status.innerText()).toBe("Looking up owls");
      await expect.poll(() => chat.lines()).toEqual(["First I look it up."]);
      live.gates.open("owls");
      await expect.poll(() => chat.status.innerText()).toBe("Complete");
      await chat.finished();
      for (const turn of ["now", "reloaded"]) {
        if (turn === "reloaded") await chat.reload();
        await expect
          .poll(() => chat.lines())
          .toEqual(["First I look it up.", "Owls are birds of the night.", "1 Source"]);
        await chat.answer.getByText("1 Source").click();
        await chat.page.getByText("🔧 look_up").first().click();
        await chat.page.getByText("All about owls.").waitFor();
      }
      expect(live.started).toHaveLength(1);
    });

    test("sub-agents are in the status line, and their text is not part of the answer", async () => {
      const chat = await live.open({ model: "deep" });
      await chat.send("Helpers");
      await Promise.all([live.gates.reached("owls"), live.gates.reached("bats")]);
      for (const gate of ["owls", "bats"]) live.gates.open(gate);
      await expect.poll(() => chat.status.innerText()).toBe("Complete");
      await chat.finished();
      const [first, second] = await chat.lines();
      expect([first, second]).toEqual(["Two helpers.", "Both are back: I read of owls. I read of bats."]);
      await chat.status.click();
      await chat.answer.getByText("🤖 Sub-agent: helper...").first().waitFor();
    });
  });
});
