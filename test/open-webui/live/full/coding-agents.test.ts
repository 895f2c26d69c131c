import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agents, commandOf } from "../../../../scripts/install-agents/agents.ts";
import { NOTES, type ScriptedAgent, startScriptedAgent } from "../../../acp/agents/scripted-agent.ts";
import { absent } from "../../../components.ts";
import type { ChatPage } from "../chat-page.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

const PIPE = readFileSync(path.join(import.meta.dirname, "../../../../pipe/runcast_pipe.py"), "utf8");
const SIZE = { width: 900, height: 1000 };

/** What differs between the agents: the option that allows once, and what they do around a command. */
const AGENTS = [
  { name: "kimi", allow: "Approve once", pictures: ["command", "stopped"] },
  { name: "opencode", allow: "Allow once", pictures: ["edit"] },
  { name: "codex", allow: "Yes, proceed", runsWithoutAsking: true, pictures: [] },
  { name: "claude", allow: "Yes", runsWithoutAsking: true, reportsAtEnd: true, pictures: ["dialog"] },
] as const;
type Row = (typeof AGENTS)[number] & { readonly runsWithoutAsking?: true; readonly reportsAtEnd?: true };

const commands = new Map(agents.map((agent) => [agent.name, commandOf(agent)]));
const rows: readonly Row[] = AGENTS.filter(({ name }) => commands.get(name));
for (const { name } of AGENTS)
  if (!commands.get(name))
    absent(`${name} in Open WebUI`, `not installed: npm run agents -- ${name}`, { isRequired: name === "kimi" });

describeLive("coding agents", ({ program }) => {
  const started = new Map<string, ScriptedAgent>();
  const live = useLive(
    program,
    Object.fromEntries(rows.map(({ name }) => [name, (...given) => started.get(name)!.source(...given)])),
  );
  beforeAll(async () => {
    for (const { name } of rows) started.set(name, await startScriptedAgent(name, commands.get(name)!));
    await live.account.install("runcast", PIPE, { RUNCAST_URL: live.runcast });
  }, 60_000);
  afterAll(async () => {
    for (const agent of started.values()) await agent.close();
  });

  describe.each(rows)("$name", ({ name, allow, pictures, runsWithoutAsking, reportsAtEnd }) => {
    const agent = () => started.get(name)!;
    beforeEach(() => agent().reset());
    const notes = () => readFileSync(path.join(agent().cwd, "notes.txt"), "utf8");
    const show = async (chat: ChatPage, what: string) => {
      if ((pictures as readonly string[]).includes(what))
        await picture(chat, `coding-${what}-${name}`, { isWhole: what === "dialog" });
    };
    const viewIn = (chat: ChatPage) => chat.answer.frameLocator("iframe");
    /** In the live view. With the keyboard, because the chat may still scroll and a click would miss. */
    const allowInView = (chat: ChatPage) =>
      viewIn(chat).getByRole("button", { name: allow, exact: true }).press("Enter");
    const allowInDialog = async ({ page }: ChatPage) => {
      await page
        .getByRole("dialog")
        .or(page.locator("div.fixed"))
        .locator("select")
        .last()
        .selectOption({ label: allow });
      await page.getByRole("button", { name: "Confirm" }).click();
    };

    test("an edit is shown as a diff and approved in the message", async () => {
      const chat = await live.open({ model: `${name}:live`, size: SIZE });
      await chat.send("EDIT the second line of notes.txt");
      const question = viewIn(chat).getByRole("group", { name: "Question for you" });
      await question.getByText("second line", { exact: true }).waitFor();
      await question.getByText("2nd line", { exact: true }).waitFor();
      expect(notes()).toBe(NOTES);
      await show(chat, "edit");
      await allowInView(chat);
      await chat.answer.getByText("That is all.").first().waitFor();
      await viewIn(chat).locator('[data-run-end="done"]').waitFor();
      expect(notes()).toBe(NOTES.replace("second", "2nd"));
    });

    test("an edit is shown as a diff and approved in a dialog of the pipe", async () => {
      const chat = await live.open({ model: `runcast.${name}`, size: SIZE });
      await chat.send("EDIT the second line of notes.txt");
      await chat.page.getByText("-second line").last().waitFor();
      await chat.page.getByText("+2nd line").last().waitFor();
      expect(notes()).toBe(NOTES);
      await show(chat, "dialog");
      await allowInDialog(chat);
      await chat.answer.getByText("That is all.").waitFor();
      await chat.finished();
      expect(notes()).toBe(NOTES.replace("second", "2nd"));
    });

    test.each(["connection", "pipe"] as const)("Stop ends a command and all processes: %s", async (way) => {
      const isPipe = way === "pipe";
      const chat = await live.open({ model: isPipe ? `runcast.${name}` : `${name}:live`, size: SIZE });
      await chat.send("Run a LONG command");
      if (!runsWithoutAsking) await (isPipe ? allowInDialog(chat) : allowInView(chat));
      await expect.poll(() => agent().processes("sleep")).toHaveLength(1);
      // Its output, while it still runs.
      if (!isPipe && !reportsAtEnd)
        await viewIn(chat)
          .getByText(/^working$/m)
          .last()
          .waitFor();
      if (!isPipe) await show(chat, "command");
      const pressed = performance.now();
      await chat.stop();
      await expect.poll(() => agent().processes("sleep"), { interval: 20 }).toEqual([]);
      console.log(`${name}, ${way}: the command ended ${Math.round(performance.now() - pressed)} ms after Stop`);
      await expect.poll(() => agent().processes()).toEqual([]);
      await chat.finished();
      if (isPipe) return;
      await viewIn(chat).locator('[data-run-end="cancelled"]').waitFor();
      await show(chat, "stopped");
    });
  });
});
