import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { EventType } from "../../src/events.ts";
import { Decoder } from "../../src/sources/agno/decoder.ts";
import { agno } from "../../src/sources/agno.ts";
import { Refusal } from "../../src/source.ts";
import { createFrameReader } from "../../src/sse.ts";
import { idsOf } from "../../src/sources/upstream/agent-writer.ts";
import { logOf } from "../frameworks/log-of.ts";
import { looking, resultOf } from "../frameworks/play.ts";
import { type Line, linesIn, replay, toolsIn } from "./recording.ts";

const directory = path.join(import.meta.dirname, "recordings");
const recorded = (name: string) => linesIn(path.join(directory, `${name}.jsonl`));
const played = async (lines: readonly Line[], isSlow = false) => looking(await logOf(replay(lines, { isSlow }).events));
const typesIn = async (name: string): Promise<EventType[]> =>
  (await played(recorded(name))).events
    .map(({ type }) => type)
    .filter((type) => !/^(text|step|thinking|data)/.test(type));

/** Compares a run with its frames, read here independently of the decoder. */
const expectFaithful = async (lines: readonly Line[]): Promise<void> => {
  const frames = lines.flatMap((line) =>
    "frame" in line ? [line.frame as any] : "raw" in line ? [JSON.parse(line.raw)] : [],
  );
  for (const isSlow of [false, true]) {
    const looked = await played(lines, isSlow);
    expect(looked.end.error?.code).not.toBe("invalid-event");
    const root = frames.find(({ event }) => event.endsWith("Started"))?.run_id;
    const isWorkflow = frames.some(({ event }) => event === "WorkflowStarted");
    const contentOf = (run: string, field = "content") => {
      const own = frames.filter((one) => one.run_id === run && /^(Team)?Run(Intermediate)?Content$/.test(one.event));
      return own.map((one) => (typeof one[field] === "string" ? one[field] : "")).join("");
    };
    if (!isWorkflow) expect(looked.text()).toBe(contentOf(root));
    expect(looked.thinking()).toContain(contentOf(root, "reasoning_content"));
    const tools = toolsIn(frames);
    expect(looked.calls).toHaveLength(tools.size);
    for (const [id, { tool_name, tool_args, result }] of tools) {
      const call = looked.callOf(id);
      expect([call.name, call.input]).toEqual([tool_name, tool_args]);
      // Agno does not repeat the call of a waiting member with the member's answer.
      const isResult = typeof result === "string" && !result.includes("requires human input");
      if (call.state === "ok" && isResult) expect(resultOf(call)).toBe(result);
    }
    const begun = new Set(frames.flatMap(({ event, run_id }) => (/^(Team)?RunStarted$/.test(event) ? [run_id] : [])));
    const members = looked.all("agent-start").map(({ agent }) => looked.text(agent));
    expect(members).toEqual([...begun].slice(isWorkflow ? 0 : 1).map((run) => contentOf(run)));
  }
};

test.each(readdirSync(directory))("%s: the run shows the server's output", async (file) => {
  await expectFaithful(linesIn(path.join(directory, file)));
});

describe("calls", () => {
  test("belong to the step that requested them and execute after it, however fast the frames arrive", async () => {
    for (const isSlow of [false, true]) {
      const { all, calls } = await played(recorded("tools"), isSlow);
      expect(all("tool-execute")).toHaveLength(2);
      expect(calls.map(({ state }) => state)).toEqual(["ok", "ok"]);
    }
    expect((await played(recorded("tools"))).all("step-end").map(({ finish }) => finish)).toEqual(["tools", "stop"]);
  });

  test("a failed call ends once", async () => {
    expect(await typesIn("fail")).toEqual([
      "run-start",
      "tool-start",
      "tool-input-end",
      "tool-execute",
      "tool-end",
      "run-end",
    ]);
  });

  test("a waiting call is asked about before it executes", async () => {
    expect(await typesIn("approve")).toEqual([
      "run-start",
      "tool-start",
      "tool-input-end",
      "ask-start",
      "ask-end",
      "tool-execute",
      "tool-end",
      "run-end",
    ]);
  });

  test("a denied call ends with the answer", async () => {
    expect((await played(recorded("deny"))).all("tool-end")).toMatchObject([{ outcome: "denied" }]);
  });

  test("a call of a waiting member ends with the member", async () => {
    const { all, calls } = await played(recorded("ask-below"));
    const [delegate] = calls;
    expect(delegate).toMatchObject({ name: "delegate_task_to_member", content: [{ text: "The mail is sent." }] });
    const ends = all("tool-end").map(({ call }) => call);
    expect(ends.at(-1)).toBe(delegate!.id);
  });
});

describe("answers", () => {
  /** A paused decoder and its asks. */
  const waiting = (name: string) => {
    const lines = recorded(name);
    const until = lines.findIndex((line) => "answer" in line);
    return replay(
      lines.filter(
        (line, index) => index < until || ("frame" in line && String(line.frame["event"]).endsWith("Paused")),
      ),
    );
  };

  test("are sent together, and unanswered asks are rejected by name", () => {
    const { decoder } = waiting("both");
    const [first, second] = decoder.pause.open;
    decoder.pause.answered(first!, { allow: true, input: { to: "eve@example.com" } });
    decoder.pause.answered(second!, undefined);
    expect(decoder.pause.tools()).toMatchObject([
      { tool_name: "send_mail", confirmed: true, tool_args: { to: "eve@example.com" } },
      { tool_name: "send_mail", confirmed: false, confirmation_note: "No one answered." },
      { tool_name: "get_weather", result: "sunny in Paris" },
    ]);
  });

  test("fill in a form and keep the model's own values", () => {
    const { decoder } = waiting("form");
    decoder.pause.answered(decoder.pause.open[0]!, { value: { day: "Monday" } });
    expect(decoder.pause.tools()).toMatchObject([
      {
        answered: true,
        user_input_schema: [
          { name: "people", value: 2 },
          { name: "day", value: "Monday" },
        ],
      },
    ]);
  });

  test("contain the result of a tool that runs elsewhere", () => {
    const { decoder } = waiting("external");
    decoder.pause.answered(decoder.pause.open[0]!, { value: { shown: true } });
    expect(decoder.pause.tools()).toMatchObject([{ result: '{"shown":true}' }]);
  });

  test("reach a team's member through its requirement", () => {
    const { decoder } = waiting("ask-below");
    decoder.pause.answered(decoder.pause.open[0]!, { allow: false, reason: "no" });
    expect(decoder.pause.requirements()).toMatchObject([
      { confirmation: false, confirmation_note: "no", tool_execution: { confirmed: false } },
    ]);
  });

  test("select from the options of a question", () => {
    const decoder = new Decoder(idsOf("r"));
    const question = { question: "Which?", options: [{ label: "A" }, { label: "B", description: "b" }] };
    const tool = {
      tool_call_id: "c",
      tool_name: "ask_user",
      requires_user_input: true,
      user_feedback_schema: [question],
    };
    decoder.frame(JSON.stringify({ event: "RunStarted", run_id: "1" }));
    const events = decoder.frame(JSON.stringify({ event: "RunPaused", run_id: "1", tools: [tool] }));
    expect(events.find(({ type }) => type === "ask-start")).toMatchObject({
      kind: "choice",
      message: "Which?",
      options: [{ value: "A" }, { value: "B", description: "b" }],
    });
    decoder.pause.answered(decoder.pause.open[0]!, { value: "B" });
    expect(decoder.pause.tools()).toMatchObject([
      {
        answered: true,
        user_feedback_schema: [{ selected_options: ["B"], options: [{ selected: false }, { selected: true }] }],
      },
    ]);
  });
});

describe("a faulty server", () => {
  const frame = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const decode = (...values: unknown[]) => {
    const decoder = new Decoder(idsOf("r"));
    return values.flatMap((value) => decoder.frame(frame(value)));
  };

  test("frames that are not events are reported once and skipped", () => {
    expect(decode("{", "nothing", "[]", "1")).toMatchObject([{ type: "notice", level: "warning" }]);
  });

  test("the final output after the events is ignored", () => {
    expect(decode({ run_id: "1", content: "all of it", status: "COMPLETED" })).toEqual([]);
  });

  test("endless garbage and endless calls end with a clear error", () => {
    expect(() => decode(...Array.from({ length: 100 }, () => "{"))).toThrow(Refusal);
    const call = (index: number) => ({ event: "ToolCallStarted", run_id: "1", tool: { tool_call_id: `c${index}` } });
    expect(() =>
      decode({ event: "RunStarted", run_id: "1" }, ...Array.from({ length: 600 }, (_, index) => call(index))),
    ).toThrow(/more than 500/);
  });

  test("if the server runs a call it has asked about, the ask ends and the call has failed", async () => {
    const lines = recorded("approve").filter((line) => !("answer" in line));
    const { all } = await played(lines);
    expect(all("ask-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(all("tool-end")).toMatchObject([{ outcome: "error", error: { code: "not-approved" } }]);
    expect(all("tool-execute")).toEqual([]);
  });

  test("if the server completes a cancelled run, the first outcome counts", () => {
    const decoder = new Decoder(idsOf("r"));
    for (const event of ["RunStarted", "RunCancelled", "RunCompleted"])
      decoder.frame(frame({ event, run_id: "1", content: "x" }));
    expect(decoder.end).toEqual({ outcome: "cancelled" });
  });

  test("events after a pause count, even if they are numbered from 0 again", async () => {
    const lines = recorded("approve");
    const from = lines.findIndex((line) => "answer" in line) + 1;
    const renumbered = lines.map((line, at) =>
      "frame" in line && at >= from ? { frame: { ...line.frame, event_index: at - from } } : line,
    );
    expect((await played(renumbered)).text()).toBe((await played(lines)).text());
  });

  test("events that are repeated after a cut count once", () => {
    const greeting = { event: "RunContent", run_id: "1", content: "Hi", event_index: 1 };
    const events = decode({ event: "RunStarted", run_id: "1", event_index: 0 }, greeting, greeting);
    expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(1);
  });
});

describe("other events", () => {
  const RUN = { run_id: "1", agent_name: "Tutor" };
  const tool = { tool_call_id: "c", tool_name: "draw", tool_args: { of: "an owl" } };
  const asked = [{ event: "RunStarted" }, { event: "ModelRequestStarted" }];
  const over = [{ event: "ModelRequestCompleted" }, { event: "RunCompleted", content: "" }];
  const playing = async (...events: readonly object[]) => {
    const lines = [...asked, ...events, ...over].map((event) => ({ frame: { ...RUN, ...event } }));
    const { events: read, decoder } = replay(lines);
    return { ...looking(await logOf(read)), decoder };
  };
  const statuses = (all: Awaited<ReturnType<typeof playing>>["all"]) => all("status").map(({ text }) => text);

  test("intermediate content between tools is text", async () => {
    const { text, calls } = await playing(
      { event: "RunIntermediateContent", content: "First " },
      { event: "ToolCallStarted", tool },
      { event: "ToolCallCompleted", tool: { ...tool, result: "drawn" } },
      { event: "RunIntermediateContent", content: "then" },
      { event: "RunContent", content: " last." },
      { event: "RunContentCompleted" },
    );
    expect(text()).toBe("First then last.");
    expect(calls).toMatchObject([{ name: "draw", state: "ok" }]);
  });

  test("content that is not a string is not streamed as text, but shown once at the end", async () => {
    const output = { city: "Oslo", degrees: 3 };
    const content = { event: "RunContent", content: output, content_type: "Weather" };
    const streaming = replay([...asked, content].map((event) => ({ frame: { ...RUN, ...event } })));
    expect(streaming.events.filter(({ type }) => type === "text-delta")).toEqual([]);
    const ended = replay(
      [...asked, content, over[0]!, { event: "RunCompleted", content: output }].map((event) => ({
        frame: { ...RUN, ...event },
      })),
    );
    expect(looking(await logOf(ended.events)).text()).toBe(JSON.stringify(output));
  });

  test("reasoning is thinking, and each step's thoughts are shown once", async () => {
    const { thinking, text } = await playing(
      { event: "ReasoningStarted" },
      { event: "ReasoningContentDelta", reasoning_content: "Let me " },
      { event: "ReasoningContentDelta", reasoning_content: "see." },
      { event: "ReasoningCompleted" },
      { event: "RunContent", content: "Yes." },
    );
    expect([thinking(), text()]).toEqual(["Let me see.", "Yes."]);
    const steps = await playing(
      { event: "ReasoningStarted" },
      { event: "ReasoningStep", reasoning_content: "One." },
      { event: "ReasoningStep", reasoning_content: "One. Two." },
      { event: "ReasoningCompleted" },
    );
    expect(steps.thinking()).toBe("One. Two.");
  });

  test.each([
    ["PreHook", { pre_hook_name: "check_input" }, "Running a hook: check_input"],
    ["PostHook", { post_hook_name: "redact" }, "Running a hook: redact"],
    ["MemoryUpdate", {}, "Updating the memory"],
    ["SessionSummary", {}, "Summarizing the session"],
  ])("%s is a status while it lasts", async (work, fields, text) => {
    const { all } = await playing({ event: `${work}Started`, ...fields }, { event: `${work}Completed`, ...fields });
    expect(statuses(all)).toEqual([text, ""]);
  });

  test("images of a call are kept: bytes as attachments, others as links", async () => {
    const images = [
      { content: "iVBORw0KGgo=", mime_type: "image/png", filename: "owl.png" },
      { url: "https://example.org/owl.jpg", mime_type: "image/jpeg" },
    ];
    const { decoder, calls } = await playing(
      { event: "ToolCallStarted", tool },
      { event: "ToolCallCompleted", tool: { ...tool, result: "drawn" }, images },
    );
    expect(decoder.attachments).toMatchObject([{ name: "owl.png", mediaType: "image/png", base64: "iVBORw0KGgo=" }]);
    expect(calls[0]!.content).toMatchObject([
      { type: "text", text: "drawn" },
      { type: "link", url: "https://example.org/owl.jpg" },
    ]);
  });

  test("the same member twice, one after the other: each has its own call, even if both calls are still open", async () => {
    const delegate = (key: string) => ({
      tool: { tool_call_id: key, tool_name: "delegate_task_to_member", tool_args: { member_id: "ann", task: key } },
    });
    const member = (run: string) =>
      ["RunStarted", "RunCompleted"].map((event) => ({ event, run_id: run, parent_run_id: "1", agent_id: "ann" }));
    const { all, calls } = await playing(
      ...["a", "b"].map((key) => ({ event: "ToolCallStarted", ...delegate(key) })),
      ...member("2"),
      ...member("3"),
      ...["a", "b"].map((key) => ({ event: "ToolCallCompleted", ...delegate(key) })),
    );
    expect(all("agent-start").map(({ call, task }) => [call, task])).toEqual([
      [calls[0]!.id, "a"],
      [calls[1]!.id, "b"],
    ]);
  });

  test("an error of a call without a tool still shows a failed call", async () => {
    const { calls } = await playing({ event: "ToolCallError", error: "it broke" });
    expect(calls).toMatchObject([{ name: "unknown", state: "error", error: { message: "it broke" } }]);
  });

  test("custom events are data, follow-ups are suggestions, and unknown events are ignored", async () => {
    const { all, text, end } = await playing(
      { event: "CustomEvent", customer: "Ann", total: 3 },
      { event: "FollowupsCompleted", followups: ["And now?", 7] },
      { event: "SomethingNew", content: "not for people" },
    );
    expect(all("data").map(({ name, value }) => ({ name, value }))).toEqual(
      expect.arrayContaining([
        { name: "custom", value: { customer: "Ann", total: 3 } },
        { name: "follow-ups", value: ["And now?"] },
      ]),
    );
    expect(text()).toBe("");
    expect(end.outcome).toBe("done");
  });
});

describe("options", () => {
  const url = "http://127.0.0.1:7777";
  test.each([
    [{ url, agnt: "a" }, /agnt is not an option; did you mean agent/],
    [{ url }, /needs one of agent, team and workflow/],
    [{ url, agent: "a", team: "b" }, /needs one of/],
    [{ url: "nowhere", agent: "a" }, /url must be a URL/],
  ])("invalid options are named: %j", (options, message) => {
    expect(() => agno(options as never)).toThrow(message);
  });
});

const captures = path.join(
  process.env.RUNCAST_CAPTURES ?? path.join(import.meta.dirname, "../../../shared/captures"),
  "agents",
);
const files = existsSync(captures)
  ? readdirSync(captures).filter(
      (file) => /^agno-(?!agui).*\.txt$/.test(file) && !/request|-continue|resume/.test(file),
    )
  : [];
console.log(files.length > 0 ? `recordings of Agno: ${files.length}` : "other recordings of Agno: none here, skipped");

describe.skipIf(files.length === 0)("other recordings", () => {
  const framesIn = (file: string): Line[] => {
    const lines: Line[] = [];
    const reader = createFrameReader(({ data }) => lines.push({ raw: data }));
    if (existsSync(file)) reader.push(readFileSync(file));
    return lines;
  };

  test.each(files.filter((file) => framesIn(path.join(captures, file)).length > 0))("%s", async (file) => {
    const first = framesIn(path.join(captures, file));
    const isDenied = file.startsWith("agno-reject");
    const answer = file.startsWith("agno-external")
      ? { value: "shown" }
      : file.startsWith("agno-form")
        ? { value: { day: "Monday" } }
        : { allow: !isDenied };
    const then = framesIn(path.join(captures, file.replace(".txt", "-continue.txt")));
    await expectFaithful(then.length > 0 ? [...first, { answer }, ...then] : first);
  });
});
