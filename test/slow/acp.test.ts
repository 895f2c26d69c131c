import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agents, commandOf } from "../../scripts/install-agents/agents.ts";
import type { Answer, Event, EventOf, EventType } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";
import { NOTES, type ScriptedAgent, startScriptedAgent } from "../acp/agents/scripted-agent.ts";
import { stateOf } from "../acp/facts.ts";
import { absent } from "../components.ts";
import { entriesOf, setUp, untilEnd, untilEvent } from "../running.ts";

/** The agents that .ci/run installs. The others take minutes; `npm run test:long` tests those that are installed. */
const REQUIRED = new Set(["gemini", "kimi"]);
const isLong = process.env.RUNCAST_LONG === "1";

for (const agent of agents) {
  const { name } = agent;
  const command = commandOf(agent);
  const isTried = isLong || REQUIRED.has(name);
  if (command && isTried) describe(`${name} ${agent.version}`, { timeout: 120_000 }, () => suite(name, command));
  else {
    const reason = isTried ? `not installed: npm run agents -- ${name}` : "only with npm run test:long";
    absent(name, reason, { isRequired: REQUIRED.has(name) });
  }
}

/** What an agent does not report over the protocol, or does not support. */
const LACKS: Readonly<Record<string, readonly string[]>> = {
  // Gemini sends its todo list only as a call without arguments, and no output of a command that succeeds. It can load
  // a session only in a later minute than the one in which the session began.
  gemini: ["plan", "live output", "a thread that goes on in a new process"],
  // Claude sends the output of a command when it ends.
  claude: ["live output"],
  // Codex does not send its plan, and sends a provider's error as text of a normal answer.
  codex: ["plan", "provider error"],
  // opencode sends its todo list only as a call.
  opencode: ["plan"],
};

const suite = (name: string, command: readonly [string, ...string[]]): void => {
  let agent: ScriptedAgent;
  let source: Source;
  let cwd: string;
  beforeAll(async () => {
    agent = await startScriptedAgent(name, command);
    ({ source, cwd } = agent);
  });
  beforeEach(() => agent.reset());
  afterAll(() => agent.close());

  const start = async (prompt: string, more: object = {}) => {
    const { runner, log } = setUp({ graceMs: 5000 });
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: `${prompt} please` }] }];
    const { run } = await runner.start({ messages, ...more }, { name, source });
    const until = (isIt: (event: Event) => boolean) => untilEvent(log, run, isIt);
    return { runner, log, run, until, ended: () => untilEnd(log, run) };
  };
  /** Plays a story and gives the same answer to every ask. */
  const play = async (prompt: string, answer: (ask: EventOf<"ask-start">) => Answer = allowOnce, more: object = {}) => {
    const started = await start(prompt, more);
    const { runner, log, run } = started;
    const ended = started.ended();
    let isOver = false;
    void ended.finally(() => (isOver = true)).catch(() => {});
    const answered = new Set<string>();
    while (!isOver) {
      for (const { event } of await entriesOf(log, run))
        if (event.type === "ask-start" && !answered.has(event.ask)) {
          answered.add(event.ask);
          await runner.answer(run, event.ask, answer(event));
        }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const events = await ended;
    const all = <Type extends EventType>(type: Type) =>
      events.filter((event): event is EventOf<Type> => event.type === type);
    return { events, all, state: stateOf(await entriesOf(log, run)) };
  };
  const story = (title: string, run: () => Promise<void>): void =>
    void test.skipIf(LACKS[name]?.includes(title) ?? false)(title, run);

  story("hello", async () => {
    const { all, events } = await play("HELLO");
    expect(joined(all("text-delta")).trim()).toContain("Hello! I am a scripted model.");
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  });

  story("thinking", async () => {
    const { all } = await play("THINK");
    expect(joined(all("thinking-delta"))).toContain("Somebody wants me to think.");
    expect(joined(all("text-delta"))).toContain("I have thought about it.");
  });

  story("two tools", async () => {
    const { all } = await play("TWO");
    expect(all("tool-end").map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
    expect(joined(all("text-delta"))).toContain("Both are read.");
  });

  story("failing tool", async () => {
    const { all } = await play("FAIL");
    expect(all("tool-end")).toMatchObject([{ outcome: "error" }]);
    expect(joined(all("text-delta"))).toContain("It is not there.");
  });

  story("allowed edit", async () => {
    const { all } = await play("EDIT");
    expect(readFileSync(path.join(cwd, "notes.txt"), "utf8")).toBe(NOTES.replace("second", "2nd"));
    const asks = all("ask-start");
    expect(asks).toHaveLength(1);
    expect(asks[0]).toMatchObject({
      kind: "approval",
      options: expect.arrayContaining([expect.objectContaining({ allow: false })]),
    });
    const diff = expect.stringMatching(/^--- notes\.txt\n\+\+\+ notes\.txt\n@@ -\d[^]*-second line\n\+2nd line/);
    expect(all("tool-end").at(-1)).toMatchObject({
      outcome: "ok",
      content: expect.arrayContaining([{ type: "text", text: diff }]),
    });
    expect(all("file")).toMatchObject([{ name: "notes.txt", change: "changed" }]);
  });

  story("denied edit", async () => {
    const { all, events } = await play("EDIT", () => ({ allow: false }));
    expect(readFileSync(path.join(cwd, "notes.txt"), "utf8")).toBe(NOTES);
    expect(all("tool-end").at(-1)).toMatchObject({ outcome: "denied" });
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  story("always", async () => {
    const { all } = await play("TWICE", ({ options = [] }) => {
      const always = options.find((option) => "id" in option && /always|session/i.test(`${option.id} ${option.label}`));
      return { allow: true, option: (always as { id: string }).id };
    });
    expect(all("ask-start")).toHaveLength(1);
    expect(all("file")).toHaveLength(2);
    expect(readFileSync(path.join(cwd, "notes.txt"), "utf8")).toBe(NOTES);
  });

  story("command", async () => {
    const { all } = await play("SHELL");
    expect(all("tool-end")).toMatchObject([{ outcome: "ok", value: { kind: "execute" } }]);
    expect(joined(all("text-delta"))).toContain("I have counted.");
  });

  story("live output", async () => {
    const { all } = await play("SHELL");
    const pieces = all("tool-output-delta").map(({ delta }) => delta);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toContain("line 3\n");
  });

  story("plan", async () => {
    const { state } = await play("PLAN");
    expect(state.data.get("todos")).toMatchObject([
      { text: "Read the notes", status: "done" },
      { text: "Change the notes", status: "done" },
    ]);
  });

  story("cancel in a command", async () => {
    const { runner, log, run, until, ended } = await start("LONG");
    await until(({ type }) => type === "ask-start" || type === "tool-execute");
    for (const { event } of await entriesOf(log, run))
      if (event.type === "ask-start") await runner.answer(run, event.ask, allowOnce());
    await until(({ type }) => type === "tool-execute");
    await expect.poll(() => agent.processes("sleep").length).toBeGreaterThan(0);
    await runner.cancel(run);
    const events = await ended();
    expect(events.filter(({ type }) => type === "tool-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(events.at(-1)).toMatchObject({ outcome: "cancelled" });
    await expect.poll(() => agent.processes()).toEqual([]);
  });

  story("cancel in an ask", async () => {
    const { runner, run, until, ended } = await start("EDIT");
    await until(({ type }) => type === "ask-start");
    await runner.cancel(run);
    const events = await ended();
    expect(events.filter(({ type }) => type === "ask-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(events.findLast(({ type }) => type === "tool-end")).toMatchObject({ outcome: "cancelled" });
    expect(readFileSync(path.join(cwd, "notes.txt"), "utf8")).toBe(NOTES);
  });

  story("provider error", async () => {
    const { events } = await play("BROKEN");
    expect(events.at(-1)).toMatchObject({ outcome: "error" });
  });

  story("killed agent", async () => {
    const { until, ended } = await start("EDIT");
    await until(({ type }) => type === "ask-start");
    expect(agent.processes().length).toBeGreaterThan(0);
    for (const pid of agent.processes()) process.kill(pid, "SIGKILL");
    const events = await ended();
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { code: "agent-exited", retryable: true } });
    expect(events.findLast(({ type }) => type === "tool-end")).toMatchObject({ outcome: "interrupted" });
  });

  story("a thread that goes on in a new process", async () => {
    const thread = "thread-1";
    const first = await play("HELLO", allowOnce, { thread });
    const history = [
      { role: "user", content: [{ type: "text", text: "HELLO please" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello! I am a scripted model." }] },
      { role: "user", content: [{ type: "text", text: "TWO please" }] },
    ];
    const { all } = await play("", allowOnce, { thread, messages: history });
    expect(all("data").find((event) => event.name === "session")).toMatchObject({ value: { continued: true } });
    // Codex warns in every run that it does not know the scripted model. A lost session would add a notice.
    expect(all("notice")).toEqual(first.all("notice"));
    expect(joined(all("text-delta")).trim()).not.toContain("scripted model");
    expect(all("tool-end")).toHaveLength(2);
  });
};

const allowOnce = (): Answer => ({ allow: true });
const joined = (deltas: readonly { readonly delta: string }[]): string => deltas.map(({ delta }) => delta).join("");
