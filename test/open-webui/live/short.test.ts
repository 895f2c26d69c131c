import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { HOSTILE, PWNED } from "../hostile.ts";
import { saying } from "./hostile-agent.ts";
import { describeLive } from "./installed.ts";
import { useLive } from "./live.ts";
import { picture } from "./picture.ts";

const PIPE = readFileSync(path.join(import.meta.dirname, "../../../pipe/runcast_pipe.py"), "utf8");

describeLive("a connection without Python, and the pipe", ({ program }) => {
  const live = useLive(program, { hostile: saying(HOSTILE.map(({ text }) => text())) });

  test("the study companion's lecture: each tool is a card, with text before and after, and a reload shows the same", async () => {
    const chat = await live.open({ model: "study" });
    await chat.send("/Lec Graphs");
    await chat.answer.getByText("The lecture is ready.").waitFor();
    await chat.finished();
    const lines = await chat.lines();
    await picture(chat, "lecture");
    expect(lines.slice(0, 4)).toEqual([
      "First, a place for the lecture.",
      "View Result from create_lecture",
      "Now its notes.",
      "Explored write_file, compile_notes",
    ]);
    expect(lines[4]).toContain("The lecture is ready.");
    await chat.reload();
    await chat.answer.getByText("The lecture is ready.").waitFor();
    await expect.poll(() => chat.lines()).toEqual(lines);
    await picture(chat, "lecture-reloaded");
    expect(live.started).toHaveLength(1);
  });

  test("the student's profile: two calls in one row, between two texts", async () => {
    const chat = await live.open({ model: "study" });
    await chat.send("What's in my student profile?");
    await chat.answer.getByText("shows that you're studying CS...").first().waitFor();
    await chat.finished();
    await expect
      .poll(() => chat.lines())
      .toEqual([
        "Let me check your student profile.",
        "Explored list_memory_blocks, read_memory_block",
        "Your student profile shows that you're studying CS...",
      ]);
  });

  test("a tool spins with its name while it runs, then shows arguments and result", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("One tool");
    await live.gates.reached("owls");
    await chat.answer.getByText("Executing look_up").waitFor();
    await expect.poll(() => chat.status.innerText()).toBe("Looking up owls");
    await expect.poll(() => chat.lines()).toEqual(["First I look it up.", "Executing look_up..."]);
    await picture(chat, "cards-running");
    live.gates.open("owls");
    await chat.answer.getByText("Owls are birds of the night.").waitFor();
    await chat.finished();
    await expect
      .poll(() => chat.lines())
      .toEqual(["First I look it up.", "View Result from look_up", "Owls are birds of the night."]);
    await chat.card("look_up").getByText("View Result").click();
    await chat.card("look_up").getByText("owls", { exact: true }).first().waitFor();
    await chat.card("look_up").getByText("All about owls.").waitFor();
    await expect.poll(() => chat.status.innerText()).toBe("Complete");
    await picture(chat, "cards-open");
  });

  test("a reload while a tool runs, and another tab, show what this one shows", async () => {
    const chat = await live.open({ model: "storyteller" });
    await chat.send("One tool");
    await live.gates.reached("owls");
    await chat.answer.getByText("Executing look_up").waitFor();
    const running = await chat.lines();
    const second = await live.open({ chat: await chat.chat() });
    await chat.reload();
    for (const tab of [chat, second]) {
      await tab.answer.getByText("Executing look_up").waitFor();
      await expect.poll(() => tab.lines()).toEqual(running);
    }
    live.gates.open("owls");
    for (const tab of [chat, second]) {
      await tab.answer.getByText("Owls are birds of the night.").waitFor();
      await expect
        .poll(() => tab.lines())
        .toEqual(["First I look it up.", "View Result from look_up", "Owls are birds of the night."]);
    }
    expect(live.started).toHaveLength(1);
  });

  test("Stop ends the tool, which would wait forever", async () => {
    live.gates.renew("owls");
    const chat = await live.open({ model: "storyteller" });
    await chat.send("One tool");
    await live.gates.reached("owls");
    await chat.answer.getByText("Executing look_up").waitFor();
    await chat.stop();
    await live.gates.left("owls");
    await chat.finished();
    await chat.reload();
    await chat.status.waitFor();
    // The status text stays, and nothing is animated.
    expect(await chat.answer.locator(".status-description .shimmer").count()).toBe(0);
  });

  test("nothing that a tool outputs becomes more than text", async () => {
    const chat = await live.open({ model: "hostile", isExpanded: true });
    await chat.send("Go");
    await chat.answer.getByText("That was it.").first().waitFor();
    await chat.finished();
    expect(chat.requested.filter((url) => url.startsWith("http") && !url.startsWith(live.openWebUi.url))).toEqual([]);
    expect(await chat.page.evaluate((name) => Reflect.get(window, name), PWNED)).toBeUndefined();
    expect(await chat.page.locator("#pwned").count()).toBe(0);
    expect(live.started).toHaveLength(1);
  });

  test("through the pipe, a tool asks in a dialog and gets its answer", async () => {
    await live.account.install("runcast", PIPE, { RUNCAST_URL: live.runcast });
    const chat = await live.open({ model: "runcast.storyteller" });
    await chat.send("Confirming");
    await chat.page.getByText("Tidy the attic?").first().waitFor();
    await chat.page.getByRole("button", { name: "Confirm" }).click();
    await chat.answer.getByText("It is settled: the attic is tidy").waitFor();
  });
});
