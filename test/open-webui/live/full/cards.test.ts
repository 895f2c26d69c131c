import { expect, test } from "vitest";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";
import { recordSocket } from "../socket-recorder.ts";
import { CITED } from "../stories.ts";

describeLive("what cards show", ({ program }) => {
  const live = useLive(program);

  test("parallel tools each have a card", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Two tools");
    await Promise.all([live.gates.reached("owls"), live.gates.reached("bats")]);
    await chat.answer.getByText("Exploring").click();
    await expect.poll(() => chat.card("look_up").count()).toBe(2);
    await picture(chat, "parallel-running");
    live.gates.open("bats");
    await expect.poll(() => chat.lines()).toContain("View Result from look_up");
    await expect.poll(() => chat.lines()).toContain("Executing look_up...");
    live.gates.open("owls");
    await chat.answer.getByText("Both fly at night.").waitFor();
    for (const [index, topic] of ["owls", "bats"].entries()) {
      await chat.card("look_up").nth(index).getByText("View Result").click();
      await chat.card("look_up").nth(index).getByText(`All about ${topic}.`).waitFor();
    }
  });

  test("a tool that failed looks failed", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Failing");
    await chat.answer.getByText("That shelf does not exist.").waitFor();
    const card = chat.card("open_shelf");
    await picture(chat, "failed");
    await card.getByText("View Result").click();
    await card.getByText("There is no shelf Z.").waitFor();
    // Before 0.11.1 every finished card has a green mark.
    if (!live.openWebUi.version.startsWith("0.10.")) expect(await card.locator(".text-red-500").count()).toBe(1);
    expect(await card.innerText()).toContain("Error:");
  });

  test("thinking folds away with the time that it took", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Thinking");
    await chat.answer.getByText("They hear well.").waitFor();
    await chat.finished();
    await expect.poll(() => chat.lines()).toEqual([expect.stringMatching(/^Thought for /), "They hear well."]);
    await chat.answer.getByText("Thought for").click();
    await chat.answer.getByText("Owls hunt by ear").waitFor();
  });

  test("sub-agents are shown while they work, and their text is not part of the answer", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Helpers");
    await Promise.all([live.gates.reached("owls"), live.gates.reached("bats")]);
    await expect.poll(() => chat.status.innerText()).toMatch(/^🤖 Sub-agent: helper › .*Looking up (owls|bats)/);
    await picture(chat, "sub-agents-running");
    live.gates.open("owls");
    live.gates.open("bats");
    await chat.answer.getByText("Both are back").waitFor();
    await chat.finished();
    const lines = await chat.lines();
    expect(lines[0]).toBe("Two helpers.");
    expect(lines.at(-1)).toBe("Both are back: I read of owls. I read of bats.");
  });

  test("citations open the whole text, now and after a reload", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Citing");
    await chat.answer.getByText("Two books tell of them.").waitFor();
    await chat.finished();
    for (const turn of ["now", "reloaded"]) {
      if (turn === "reloaded") await chat.reload();
      await chat.answer.getByText("2 Sources").click();
      await chat.page.getByText("On bats").first().click();
      await chat.page.getByText(CITED[1]).waitFor();
      await picture(chat, `citation-${turn}`, { isWhole: true });
    }
  });

  test("files, embeds, todos, notices, title, tags and follow-ups", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("Everything");
    await live.gates.reached("all");
    await chat.page.getByText("A notice from the tool").waitFor();
    await picture(chat, "everything-running", { isWhole: true });
    await chat.page.getByText(/^(2\. )?Write$/).waitFor();
    await chat.answer.getByText("owls.txt").waitFor();
    await chat.page.frameLocator("iframe").first().locator("#inside").waitFor();
    // The embedded page is 400 pixels high and must not be left at the 150 of a frame.
    await expect
      .poll(async () => (await chat.page.locator("iframe").first().boundingBox())?.height)
      .toBeGreaterThan(400);
    live.gates.open("all");
    await chat.answer.getByText("That was all.").waitFor();
    await chat.page.getByText("And by day?").first().waitFor();
    await expect.poll(() => chat.page.title()).toContain("Birds of the night");
    const path = `/api/v1/chats/${await chat.chat()}/tags`;
    const tags = async () => (await live.account.request<{ name: string }[]>("GET", path)).map(({ name }) => name);
    await expect.poll(tags).toEqual(["birds"]);
  });

  test("requests for titles, tags and follow-ups start no run", async () => {
    const chat = await live.open({ model: "storyteller" });
    const socket = await recordSocket(live.openWebUi.url, live.account.token);
    try {
      await chat.send("Thinking");
      const id = await chat.chat();
      await socket.until(({ chat_id, data }) => chat_id === id && data.type === "chat:tags");
      expect(live.started).toHaveLength(1);
    } finally {
      socket.close();
    }
  });
});
