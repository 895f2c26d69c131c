import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Refusal } from "../../src/source.ts";
import { langgraph } from "../../src/sources/langgraph.ts";
import { protocolEventOf } from "../../src/sources/langgraph/protocol.ts";
import { resultOf } from "../../src/sources/langgraph/results.ts";
import { createFrameReader } from "../../src/sse.ts";
import { logOf } from "../frameworks/log-of.ts";
import { looking, resultOf as resultText } from "../frameworks/play.ts";
import { takenOver } from "../frameworks/take-over.ts";
import { untilEnd } from "../running.ts";
import { play } from "../running.ts";
import { hangs, refuses, streams } from "../scripted-server.ts";
import { type Line, linesIn, replay } from "./recording.ts";
import { begun, ended, scripted, written } from "./scripted.ts";
import { Translation } from "../../src/sources/langgraph/translation.ts";

const directory = path.join(import.meta.dirname, "recordings");
const recorded = (name: string) => linesIn(path.join(directory, `${name}.jsonl`));
const played = async (lines: readonly Line[]) => looking(await logOf(replay(lines).events));

/** The root graph's output in a recording of version 2, read independently of the decoder. */
const contentIn = (lines: readonly Line[], field: "text" | "reasoning"): string =>
  lines
    .flatMap((line) => ("event" in line ? [line.event as any] : []))
    .filter(({ method, params }) => method === "messages" && params.namespace.length === 0)
    .map(({ params }) => params.data.delta?.[field] ?? "")
    .join("");

const expectFaithful = async (lines: readonly Line[]): Promise<void> => {
  const looked = await played(lines);
  expect(looked.end.error?.code).not.toBe("invalid-event");
  expect(looked.text()).toBe(contentIn(lines, "text"));
  expect(looked.thinking()).toBe(contentIn(lines, "reasoning"));
  const calls = lines.flatMap((line) => {
    const data = "event" in line ? (line.event as any).params.data : {};
    return data.event === "content-block-finish" && data.content.type === "tool_call" ? [data.content] : [];
  });
  expect(
    looked
      .all("tool-start")
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(calls.map(({ name }) => name).toSorted());
  for (const { id, args } of calls) if (!looked.callOf(id).edited) expect(looked.callOf(id).input).toEqual(args);
  for (const line of lines) {
    const data = "event" in line ? (line.event as any).params.data : {};
    if (data.event === "tool-finished" && typeof data.output.content === "string")
      expect(resultText(looked.callOf(data.tool_call_id))).toBe(data.output.content);
  }
};

const files = readdirSync(directory).map((file) => file.replace(".jsonl", ""));
test.each(files.filter((name) => !/^(v1|js)-/.test(name)))("%s: the run shows the server's output", (name) =>
  expectFaithful(recorded(name)),
);

/** Stories that look the same in version 1, and those that look the same in process. */
const VERSION_1 = ["tools", "unknown", "fail", "form", "ask-below"];
const LOCAL = ["tools", "unknown", "pair", "ask-below", "form"];

test.each(VERSION_1)("%s: version 1 shows the same as version 2", async (name) => {
  const shape = async (lines: readonly Line[]) => {
    const { text, calls, all, end } = await played(lines);
    return {
      text: text(),
      calls: calls.map(({ name: tool, state, input, content, error }) => ({ tool, state, input, content, error })),
      asks: all("ask-start").map(({ kind, message }) => ({ kind, message })),
      agents: all("agent-start").map((event) => [event.name, event.task]),
      outcome: end.outcome,
    };
  };
  expect(await shape(recorded(`v1-${name}`))).toEqual(await shape(recorded(name)));
});

test("an edited call shows the user's arguments, although version 1 executes it with the model's", async () => {
  for (const name of ["edit", "v1-edit"]) {
    const { calls, end } = await played(recorded(name));
    expect(calls).toMatchObject([{ state: "ok", edited: true, input: { to: "eve@example.com", subject: "Hi" } }]);
    expect(end.outcome).toBe("done");
  }
});

test.each(LOCAL)("%s: a graph in process shows the same", async (name) => {
  const shape = async (lines: readonly Line[]) => {
    const { text, calls, all, end } = await played(lines);
    return {
      text: text(),
      calls: calls.map(({ name: tool, state, input }) => ({ tool, state, input })),
      asks: all("ask-start").map(({ kind, message }) => ({ kind, message })),
      agents: all("agent-start").map((event) => [event.name, event.task]),
      outcome: end.outcome,
    };
  };
  expect(await shape(recorded(`js-${name}`))).toEqual(await shape(recorded(name)));
});

test("fail: a graph in process continues after the call, which ends the run of a server", async () => {
  const [there, here] = [await played(recorded("fail")), await played(recorded("js-fail"))];
  for (const { calls } of [there, here]) {
    expect(calls).toMatchObject([{ name: there.calls[0]!.name, state: "error" }]);
    expect(calls[0]!.error?.message).toContain("order system is down");
  }
  expect([there.end.outcome, here.end.outcome]).toEqual(["error", "done"]);
});

test("every recording of version 1 and of a graph in process is compared", () => {
  const compared = [
    ...[...VERSION_1, "edit"].map((name) => `v1-${name}`),
    ...[...LOCAL, "fail"].map((name) => `js-${name}`),
  ];
  expect(files.filter((name) => /^(v1|js)-/.test(name))).toEqual(compared.toSorted());
});

test("the decoder is deterministic, including ids", () => {
  for (const name of files) expect(replay(recorded(name)).events).toEqual(replay(recorded(name)).events);
});

test("earlier runs of the thread are not shown", async () => {
  const [, ...earlier] = recorded("tools");
  const [first, ...rest] = recorded("hello");
  expect((await played([first!, ...earlier, ...rest])).text()).toBe("Hello there, friend.");
});

test("a command without a tool message has no result to show", () => {
  const command = { lg_name: "Command", update: { todos: [] }, goto: [] };
  expect(resultOf(command, "c")).toEqual({ content: [], isError: false });
  expect(resultOf({ update: { messages: [] } }, "c")).toEqual({ content: [], isError: false });
  const message = { type: "tool", tool_call_id: "c", content: "written" };
  expect(resultOf({ ...command, update: { messages: [message] } }, "c").content).toEqual([
    { type: "text", text: "written" },
  ]);
  expect(resultOf({ total: 3 }, "c").content).toEqual([{ type: "json", value: { total: 3 } }]);
});

test("sources in the text of a model are citations", () => {
  const event = (method: string, data: object) => ({ event: { method, params: { namespace: [], data } } });
  const annotations = [
    { type: "citation", url: "https://a.example/", title: "A", cited_text: "It rained." },
    { type: "citation", title: "Notes" },
    { type: "other", url: "https://b.example/" },
  ];
  const { events } = replay([
    event("lifecycle", { event: "running" }),
    event("messages", { event: "message-start" }),
    event("messages", { event: "content-block-start", index: 0, content: { type: "text", text: "" } }),
    event("messages", { event: "content-block-delta", index: 0, delta: { type: "text-delta", text: "Rain." } }),
    event("messages", {
      event: "content-block-finish",
      index: 0,
      content: { type: "text", text: "Rain.", annotations },
    }),
  ]);
  expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "citation")).toMatchObject([
    { url: "https://a.example/", title: "A", text: "It rained." },
    { title: "Notes" },
  ]);
});

test("a call lasts as long as the server measured", async () => {
  const times = new Map<string, number>();
  for (const line of recorded("tools")) {
    const { method, params } = ("event" in line ? line.event : {}) as any;
    const { event, tool_call_id: id } = method === "tools" ? params.data : {};
    if (event === "tool-started") times.set(id, params.timestamp);
    if (event === "tool-finished") times.set(id, params.timestamp - times.get(id)!);
  }
  expect((await played(recorded("tools"))).calls.map(({ ms }) => ms)).toEqual([...times.values()]);
});

test("an interrupt without a request for input is a cancel", async () => {
  const { end, calls } = await played(recorded("cancel"));
  expect(end.outcome).toBe("cancelled");
  expect(calls[0]!.state).toBe("cancelled");
});

describe("answers", () => {
  const responseTo = (name: string) => {
    const lines = recorded(name);
    const last = lines.findLastIndex((line) => "answer" in line);
    return replay(lines.slice(0, last + 1)).responses.map(({ response }) => response);
  };

  test("answers to several calls are one response, in their order", () => {
    expect(responseTo("both")).toEqual([
      { decisions: [{ type: "approve" }, { type: "reject", message: "denied: no" }] },
    ]);
  });

  test("an answer with edited arguments is an edit", () => {
    const args = { to: "eve@example.com", subject: "Hi" };
    expect(responseTo("edit")).toEqual([{ decisions: [{ type: "edit", edited_action: { name: "send_mail", args } }] }]);
  });

  test("an answer to any other question is its value", () => {
    expect(responseTo("form")).toEqual(["Monday"]);
    expect(responseTo("external")).toEqual(["shown"]);
  });
});

describe("a server", () => {
  const played2 = async (reading: Parameters<typeof scripted>[0], retryMs = 0) =>
    (await play(await scripted(reading, { retryMs }))).events;

  test("a server that breaks off is followed again from the same position", async () => {
    const sinces: unknown[] = [];
    const events = await played2((response, request) => {
      sinces.push((JSON.parse(request.body) as { since?: number }).since);
      return streams(sinces.length === 1 ? written(...begun) : written(...begun, ...ended))(response, request);
    });
    expect(sinces).toEqual([undefined, 3]);
    expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  });

  test("a server that breaks off and needs a moment to continue still has the run", async () => {
    let streamed = 0;
    const events = await played2((response, request) => {
      if (streamed++ === 0) return streams(written(...begun))(response, request);
      hangs()(response, request);
      setTimeout(() => response.end(written(...begun, ...ended)), 200);
    });
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  });

  test("after a takeover, a server that no longer has the run's events ends the run", async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    let streamed = 0;
    const source = await scripted((response, request) => {
      if (streamed++ === 0) return hangs(written(...begun))(response, request);
      hangs()(response, request);
      let now = Date.now();
      vi.spyOn(Date, "now").mockImplementation(() => (now += 1000));
    });
    const { log, run } = await takenOver(source, "hi", ({ type }) => type === "text-delta");
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "error", error: { code: "upstream-cut" } });
  });

  test("after a takeover, a server whose status cannot be read for a moment still has the run", async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const asked = Promise.withResolvers<void>();
    let streamed = 0;
    const source = await scripted(
      (response, request) => {
        if (streamed++ === 0) return hangs(written(...begun))(response, request);
        hangs()(response, request);
        let now = Date.now();
        vi.spyOn(Date, "now").mockImplementation(() => (now += 1000));
        void asked.promise.then(() => response.end(written(...begun, ...ended)));
      },
      {},
      (response, request) => {
        refuses(503, { message: "later" })(response, request);
        asked.resolve();
      },
    );
    const { log, run } = await takenOver(source, "hi", ({ type }) => type === "text-delta");
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  });

  test("a server that breaks off repeatedly ends the run", async () => {
    const events = await played2(streams(written(...begun)));
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { code: "upstream-cut", retryable: true } });
  });

  test("a server that refuses the stream refuses the run with its message", async () => {
    const events = await played2(refuses(403, { message: "no" }));
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { message: "no" } });
  });

  test("a server whose frames cannot be read ends the run", async () => {
    const events = await played2(hangs("data: {\n\n".repeat(30)));
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { code: "upstream-invalid" } });
  });

  test("the server's key is never in an error", async () => {
    const source = await scripted(refuses(400, { message: "bad key sesame-open" }), { key: "sesame-open" });
    const { events } = await play(source);
    expect(JSON.stringify(events)).not.toContain("sesame-open");
  });
});

test("invalid options are reported immediately", () => {
  expect(() => langgraph({ url: "nowhere", assistant: "" } as never)).toThrow(/langgraph: .*url/);
  expect(() => langgraph({ url: "http://x", assistant: "a", asistant: "b" } as never)).toThrow(/asistant/);
  expect(() => langgraph({ graph: {} } as never)).toThrow(/must be a compiled graph/);
  expect(langgraph({ url: "http://x", assistant: "a" }).about).toEqual({ description: "LangGraph assistant a" });
});

test("too many open calls are refused", () => {
  const call = (index: number) => ({
    method: "messages",
    params: {
      namespace: [],
      data: { event: "content-block-start", index, content: { type: "tool_call", id: `c${index}` } },
    },
  });
  const lines: Line[] = [
    { event: { method: "lifecycle", params: { namespace: [], data: { event: "running" } } } },
    { event: { method: "messages", params: { namespace: [], data: { event: "message-start" } } } },
    ...Array.from({ length: 600 }, (_, index) => ({ event: call(index) })),
  ];
  expect(() => replay(lines)).toThrow(Refusal);
});

// Recordings of other servers, if they are next to the checkout.
const captures = process.env.RUNCAST_CAPTURES ?? path.join(import.meta.dirname, "../../../shared/captures");
const outside = path.join(captures, "agents");
const framesIn = (file: string): Line[] => {
  if (!existsSync(path.join(outside, file))) return [];
  const lines: Line[] = [];
  const reader = createFrameReader(({ data }) => lines.push({ event: JSON.parse(data) }));
  reader.push(readFileSync(path.join(outside, file)));
  reader.end();
  return lines;
};
const others = existsSync(outside)
  ? readdirSync(outside).filter((file) =>
      /^langgraph2-(?!.*(command|request|respond|second|pending|rejoin|open|cut))/.test(file),
    )
  : [];
describe.skipIf(others.length === 0)("recordings of other servers", () => {
  test.each(others)("%s", async (file) => {
    const lines = framesIn(file);
    const run = protocolEventOf((lines[0] as { event: unknown }).event)!.run!;
    await expectFaithful([{ run }, ...lines]);
  });
});

test("the user's arguments are those of one call, even if the provider repeats its id", () => {
  const translation = new Translation("r");
  const model = (name: string) => {
    const chunk = { id: "call_0", name, args: "{}", index: 0 };
    translation.frame("messages", [{ type: "AIMessageChunk", id: name, tool_call_chunks: [chunk] }, {}]);
  };
  const execute = (name: string) => {
    const call = { type: "tool_call", id: "call_0", name, args: { by: "model" } };
    const started = translation.frame("tasks", { id: name, name: "tools", input: [call] });
    translation.frame("tasks", { id: name, name: "tools", result: {} });
    return started.at(-1)?.data["input"];
  };
  model("send_mail");
  const edited = { call_0: { name: "send_mail", args: { by: "user" } } };
  translation.frame("tasks", { id: "h", name: "Review", result: { hitl_edited_tool_calls: edited } });
  expect(execute("send_mail")).toEqual({ by: "user" });
  model("get_weather");
  expect(execute("get_weather")).toEqual({ by: "model" });
});
