import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { ChatPage } from "../chat-page.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

const PIPE = readFileSync(path.join(import.meta.dirname, "../ralph_pipe.py"), "utf8");

describeLive("a pipe of the Ralph family in front of /ralph", ({ program }) => {
  const live = useLive(program);
  beforeAll(async () => {
    await live.account.connect();
    await live.account.install("ralph", PIPE, { RALPH_SERVICE_URL: `${live.runcast}/ralph/study` });
    await live.account.setModel("ralph", {});
  }, 60_000);

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
