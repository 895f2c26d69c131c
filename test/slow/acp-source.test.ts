import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Event, EventOf } from "../../src/events.ts";
import { Refusal, type Source } from "../../src/source.ts";
import { acp } from "../../src/sources/acp.ts";
import { entriesOf, setUp, untilEnd, untilEvent } from "../running.ts";
import { folder, options, scripted, text, tool } from "../acp/scripted.ts";

const message = (words: string) => ({ role: "user" as const, content: [{ type: "text" as const, text: words }] });
const reply = (words: string) => ({ role: "assistant" as const, content: [{ type: "text" as const, text: words }] });
const asking = { messages: [message("go")] };

const play = async (source: Source, request: object = asking) => {
  const { runner, log } = setUp({ graceMs: 5000 });
  const { run } = await runner.start(request as typeof asking, { name: "agent", source });
  return { runner, log, run };
};
const textIn = (events: readonly Event[]): string =>
  events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("");
const endOf = (events: readonly Event[]) => events.at(-1) as EventOf<"run-end">;
const refusal = async (source: Source, request?: object): Promise<Refusal> => {
  const { log, run } = await play(source, request).catch((error: unknown) => ({
    log: undefined,
    run: error as Refusal,
  }));
  if (!log) return run as Refusal;
  const { error } = endOf(await untilEnd(log, run as string));
  return new Refusal(error!.code, error!.message, { ...(error!.hint !== undefined && { hint: error!.hint }) });
};
/** Whether a process with this text in its command line is still running. */
const isRunning = (mark: string): boolean => {
  const pids = readPids();
  return pids.some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });
};
const readPids = (): string[] =>
  existsSync("/proc/self")
    ? process
        .getBuiltinModule("node:fs")
        .readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
    : [];

describe("a run", () => {
  test("shows the agent's output, up to the last text before its response, and nothing after it", async () => {
    const source = scripted({
      turn: [text("Hel"), text("lo!"), { stop: "end_turn", usage: { inputTokens: 3, outputTokens: 2 } }, text("Late.")],
    });
    const { log, run } = await play(source);
    const events = await untilEnd(log, run);
    expect(textIn(events)).toBe("Hello!");
    expect(endOf(events)).toMatchObject({ outcome: "done", usage: { input: 3, output: 2 } });
  });

  test("ignores noise on the output and unknown methods", async () => {
    const noise = {
      raw: 'Welcome to the agent!\n{"half": \n[1,2]\n{"jsonrpc":"2.0","method":"_x/notify","params":{}}\n',
    };
    const source = scripted({ turn: [noise, { request: "craft/unknown", params: {} }, { stop: "end_turn" }] });
    const { log, run } = await play(source);
    expect(textIn(await untilEnd(log, run))).toContain("-32601");
  });

  test("exposes neither files nor secrets of the server", async () => {
    process.env["RUNCAST_TEST_KEY"] = "sk-secret-of-the-server";
    const cwd = folder();
    writeFileSync(path.join(cwd, "a.txt"), "content");
    const script = {
      turn: [{ request: "fs/read_text_file", params: { path: path.join(cwd, "a.txt") } }, { stop: "end_turn" }],
    };
    const { log, run } = await play(scripted(script, { cwd }));
    expect(textIn(await untilEnd(log, run))).toContain("-32601");
    const command = { terminal: { command: "env > env.txt" }, until: "exit" };
    const second = await play(scripted({ turn: [text("Listed."), command, { stop: "end_turn" }] }, { cwd }));
    await untilEnd(second.log, second.run);
    expect(readFileSync(path.join(cwd, "env.txt"), "utf8")).not.toContain("sk-secret");
    delete process.env["RUNCAST_TEST_KEY"];
  });
});

describe("users", () => {
  const script = {
    turn: [
      tool({ title: "edit", kind: "edit", status: "pending", rawInput: { path: "a" } }, "tool_call"),
      {
        ask: { toolCall: { toolCallId: "one", title: "edit" }, options },
        after: { ever: [tool({ status: "completed" }), text("Did it, for ever.")], no: [text("Did not.")] },
      },
      { stop: "end_turn" },
    ],
  };
  const decide = async (answer: object) => {
    const { runner, log, run } = await play(scripted(script));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    const ask = (await entriesOf(log, run)).map(({ event }) => event).find((event) => event.type === "ask-start")!;
    await runner.answer(run, ask.ask, answer);
    return await untilEnd(log, run);
  };

  test("choose among all options of a permission request", async () => {
    const events = await decide({ allow: true, option: "ever" });
    expect(textIn(events)).toBe("Did it, for ever.");
    expect(events.find((event) => event.type === "tool-end")).toMatchObject({ outcome: "ok" });
  });

  test("deny a call", async () => {
    const events = await decide({ allow: false });
    expect(textIn(events)).toBe("Did not.");
    expect(events.find((event) => event.type === "tool-end")).toMatchObject({ outcome: "denied" });
  });

  test("are no longer asked when the agent withdraws its question", async () => {
    const turn = [
      tool({ title: "edit", kind: "edit", status: "pending" }, "tool_call"),
      { withdraw: { toolCall: { toolCallId: "one", title: "edit" }, options } },
      tool({ status: "completed" }),
      text("Did it anyway."),
      { stop: "end_turn" },
    ];
    const { log, run } = await play(scripted({ turn }));
    const events = await untilEnd(log, run);
    expect(events.filter(({ type }) => type === "ask-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(events.find((event) => event.type === "tool-end")).toMatchObject({ outcome: "ok" });
    expect(endOf(events)).toMatchObject({ outcome: "done" });
  });

  test("fill in a form", async () => {
    const form = {
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } } },
    };
    const { runner, log, run } = await play(scripted({ turn: [{ form }, { stop: "end_turn" }] }));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    const ask = (await entriesOf(log, run)).map(({ event }) => event).find((event) => event.type === "ask-start")!;
    await expect(runner.answer(run, ask.ask, { value: { age: "old" } })).rejects.toThrow(/match/);
    await runner.answer(run, ask.ask, { value: { name: "Ada", age: 36 } });
    expect(JSON.parse(textIn(await untilEnd(log, run)))).toEqual({
      action: "accept",
      content: { name: "Ada", age: 36 },
    });
  });
});

describe("terminals", () => {
  const turn = (terminal: object, until = "exit") => [
    tool({ title: "bash", kind: "execute", status: "pending" }, "tool_call"),
    { terminal, until },
    tool({ status: "completed" }),
    { stop: "end_turn" },
  ];

  test("show live output", async () => {
    const { log, run } = await play(scripted({ turn: turn({ command: "printf one; sleep 0.1; printf two >&2" }) }));
    const events = await untilEnd(log, run);
    const output = events.map((event) => (event.type === "tool-output-delta" ? event.delta : ""));
    expect(output.join("")).toBe("onetwo");
    expect(events.find((event) => event.type === "tool-end")).toMatchObject({ outcome: "ok", value: { exitCode: 0 } });
  });

  test("start only inside the directory", async () => {
    const { log, run } = await play(scripted({ turn: turn({ command: "pwd", cwd: "/" }) }));
    expect(textIn(await untilEnd(log, run))).toContain("must start in the session's directory");
  });

  test("are not offered if the configuration disables them", async () => {
    const { log, run } = await play(scripted({ turn: turn({ command: "pwd" }) }, { terminals: false }));
    expect(textIn(await untilEnd(log, run))).toContain("-32601");
  });

  test("end with the run", async () => {
    const { log, run } = await play(scripted({ turn: turn({ command: "echo waiting; exec sleep 1234.5" }, "output") }));
    const events = await untilEnd(log, run);
    expect(events.find((event) => event.type === "tool-output-delta")).toMatchObject({ delta: "waiting\n" });
    await expect.poll(() => isRunning("1234.5")).toBe(false);
  });
});

describe("cancel", () => {
  test("is sent to the agent, and calls that it still reports are not completed", async () => {
    const record = path.join(folder(), "messages");
    const turn = [
      tool({ title: "bash", kind: "execute", status: "in_progress" }, "tool_call"),
      { hear: "session/cancel" },
      tool({ status: "completed" }),
      { stop: "cancelled" },
    ];
    const { runner, log, run } = await play(scripted({ record, turn }));
    await untilEvent(log, run, ({ type }) => type === "tool-start");
    await runner.cancel(run);
    const events = await untilEnd(log, run);
    expect(events.find((event) => event.type === "tool-end")).toMatchObject({ outcome: "cancelled" });
    expect(endOf(events)).toMatchObject({ outcome: "cancelled" });
    expect(readFileSync(record, "utf8")).toContain("session/cancel");
  });

  test("kills an agent that does not react, with everything it started", async () => {
    const turn = [{ spawn: "exec sleep 2345.6" }, text("Working."), { wait: 60_000 }, { stop: "end_turn" }];
    const { runner, log, run } = await play(scripted({ stubborn: true, turn }));
    await untilEvent(log, run, ({ type }) => type === "text-delta");
    expect(isRunning("2345.6")).toBe(true);
    await runner.cancel(run);
    expect(endOf(await untilEnd(log, run))).toMatchObject({ outcome: "cancelled" });
    await expect.poll(() => isRunning("2345.6")).toBe(false);
    await expect.poll(() => isRunning('"stubborn":true')).toBe(false);
  });
});

describe("failures", () => {
  test("a missing program or directory", async () => {
    const gone = acp({ command: ["no-such-agent-at-all"], cwd: folder(), sessions: false });
    expect(await refusal(gone)).toMatchObject({
      code: "agent-not-started",
      message: expect.stringContaining("no-such-agent"),
    });
    expect(await refusal(scripted({ turn: [] }, { cwd: "/no/such/folder" }))).toMatchObject({ code: "no-folder" });
  });

  test("an agent that is not logged in", async () => {
    const { code, hint } = await refusal(scripted({ login: true, turn: [] }));
    expect([code, hint]).toEqual(["agent-login", expect.stringContaining("agent login")]);
  });

  test("an agent that never starts, or has another version", async () => {
    const slow = scripted({ silent: true, turn: [] }, { startTimeoutMs: 300 });
    expect(await refusal(slow)).toMatchObject({ code: "agent-start-timeout" });
    expect(await refusal(scripted({ protocol: 2, turn: [] }))).toMatchObject({ code: "agent-version" });
  });

  test("a process that dies: the error has the end of its stderr, without secrets", async () => {
    const source = scripted(
      { turn: [text("I die."), { wait: 50 }, { exit: 7 }] },
      { env: { AGENT_KEY: "sk-test-12345678" } },
    );
    const { code, message: reason, hint } = await refusal(source);
    expect([code, reason]).toEqual(["agent-exited", expect.stringContaining("code 7")]);
    expect(hint).toContain("the script says exit");
    expect(hint).not.toContain("12345678");
  });

  test("an error of the provider", async () => {
    const { code, message: reason } = await refusal(
      scripted({ turn: [{ fail: { code: 400, message: '{"error":{"message":"no credit"}}' } }] }),
    );
    expect([code, reason]).toEqual(["acp-400", "no credit"]);
  });

  test("an endless message", async () => {
    const source = scripted(
      { turn: [{ raw: `{"x":"${"x".repeat(60_000)}` }, { wait: 5000 }] },
      { maxMessageBytes: 50_000 },
    );
    expect(await refusal(source)).toMatchObject({ code: "agent-invalid" });
  });

  test("an invalid response", async () => {
    expect(await refusal(scripted({ turn: [{ stop: "end_turn" }] }))).toMatchObject({ code: "empty-answer" });
  });

  test("misspelled options", () => {
    expect(() => acp({ comand: ["x"], cwd: "." } as never)).toThrow(/comand is not an option; did you mean command/);
  });
});

describe("threads", () => {
  const script = { loads: true, turn: [text("A new answer."), { stop: "end_turn" }] };
  const asked = (...texts: string[]) => ({
    thread: "t",
    messages: texts.map((one, index) => (index % 2 === 0 ? message(one) : reply(one))),
  });
  const requestsIn = (record: string) =>
    readFileSync(record, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { method?: string; params?: any });

  test("continue the agent's session in a new process, even of the server", async () => {
    const cwd = folder();
    const sessions = path.join(folder(), "sessions.json");
    const record = path.join(folder(), "messages");
    const source = () => scripted({ ...script, record }, { cwd, sessions });
    const first = await play(source(), asked("one"));
    await untilEnd(first.log, first.run);
    const second = await play(source(), asked("one", "A new answer.", "two"));
    const events = await untilEnd(second.log, second.run);
    // What the session replays while it loads is not part of the answer.
    expect(textIn(events)).toBe("A new answer.");
    expect(requestsIn(record).map(({ method }) => method)).toEqual([
      "initialize",
      "session/new",
      "session/prompt",
      "initialize",
      "session/load",
      "session/prompt",
    ]);
    expect(requestsIn(record).at(-1)?.params.prompt).toEqual([{ type: "text", text: "two" }]);
  });

  test("begin a new session when the user has gone back, with the conversation as text", async () => {
    const cwd = folder();
    const record = path.join(folder(), "messages");
    const source = scripted({ ...script, record }, { cwd });
    for (const request of [asked("one"), asked("another", "An answer.", "two")]) {
      const { log, run } = await play(source, request);
      await untilEnd(log, run);
    }
    expect(requestsIn(record).filter(({ method }) => method === "session/new")).toHaveLength(2);
    expect(requestsIn(record).at(-1)?.params.prompt[0].text).toContain("user: another\n\nassistant: An answer.");
  });

  test("are not shared between users", async () => {
    const record = path.join(folder(), "messages");
    const source = scripted({ ...script, record });
    for (const user of ["ada", "bob"]) {
      const { log, run } = await play(source, { ...asked("one", "A new answer.", "two"), user: { id: user } });
      await untilEnd(log, run);
    }
    expect(requestsIn(record).filter(({ method }) => method === "session/new")).toHaveLength(2);
  });

  test("allow one run at a time", async () => {
    const source = scripted({ turn: [text("Working."), { wait: 60_000 }] });
    const { runner, log, run } = await play(source, asked("one"));
    await untilEvent(log, run, ({ type }) => type === "text-delta");
    await expect(runner.start(asked("two"), { name: "agent", source })).rejects.toMatchObject({ code: "thread-busy" });
  });
});

describe("modes and models", () => {
  const session = {
    modes: {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "plan", name: "Plan" },
      ],
    },
    configOptions: [
      {
        id: "m",
        category: "model",
        type: "select",
        currentValue: "small",
        options: [{ group: "g", options: [{ value: "small" }, { value: "large" }] }],
      },
    ],
  };
  const turn = [text("Yes."), { stop: "end_turn" }];

  test("are set by the request, and reported to clients", async () => {
    const record = path.join(folder(), "messages");
    const source = scripted({ session, record, turn });
    const { log, run } = await play(source, { ...asking, mode: "plan", model: "large" });
    expect(await untilEnd(log, run)).toContainEqual({ type: "data", name: "mode", value: "plan" });
    const sent = readFileSync(record, "utf8");
    expect(sent).toContain('"modeId":"plan"');
    expect(sent).toContain('"configId":"m","value":"large"');
    expect(source.about).toMatchObject({ modes: ["ask", "plan"], models: ["small", "large"], model: "small" });
  });

  test("unknown modes and models are refused", async () => {
    const { code, hint } = await refusal(scripted({ session, turn }), { ...asking, mode: "plam" });
    expect([code, hint]).toEqual(["unknown-mode", "it offers ask, plan"]);
    expect(await refusal(scripted({ turn }), { ...asking, model: "x" })).toMatchObject({ code: "unknown-model" });
  });
});
