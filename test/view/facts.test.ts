import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { CallOutcome, Event, Finish, RunOutcome } from "../../src/events.ts";
import type { AgentNode, AskNode, CallNode, MarkNode, PartNode, StepNode } from "../../src/state.ts";
import {
  dateText,
  announcementOf,
  createLogClock,
  describeAgent,
  describeAside,
  describeAsk,
  describeCall,
  describeConnection,
  describeLink,
  describeResult,
  describeRun,
  mayResume,
  describeStep,
  describeThinking,
  timeText,
} from "../../src/view.ts";
import { createClock } from "../../src/element/clock.ts";
import { callEvents, folding } from "./folding.ts";

const callOf = (...events: readonly (readonly [Event, number])[]): CallNode => {
  const { state, add } = folding();
  for (const [event, ms] of events) add(event, ms);
  return state.root.items.find((item) => item.kind === "call") as CallNode;
};
const start: readonly [Event, number] = [{ type: "tool-start", call: "c", name: "look" }, 1];
const end = (outcome: CallOutcome, more: object = {}): readonly [Event, number] => [
  { type: "tool-end", call: "c", outcome, ...more } as Event,
  5000,
];
const execute: readonly [Event, number] = [{ type: "tool-execute", call: "c" }, 1];

describe("a call", () => {
  test("a failed command is shown, even if the call succeeded", () => {
    const value = { kind: "execute", exitCode: 1 };
    expect(describeCall(callOf(start, execute, end("ok", { value }))).exit).toBe("Exit code 1");
    expect(describeCall(callOf(start, execute, end("ok", { value: { signal: "SIGKILL" } }))).exit).toBe(
      "Ended by SIGKILL",
    );
    expect(describeCall(callOf(start, execute, end("ok", { value: { exitCode: 0 } }))).exit).toBe("");
  });

  test("looks good only if it succeeded, and active only while it runs", () => {
    expect(describeCall(callOf(start)).badge).toEqual({ state: "pending", word: "pending", tone: "waiting" });
    expect(describeCall(callOf(start, execute)).badge).toMatchObject({ word: "executing", tone: "active" });
    expect(describeCall(callOf(start, execute, end("ok"))).badge).toMatchObject({ word: "done", tone: "good" });
    for (const outcome of ["error", "timeout", "interrupted", "denied", "cancelled", "deferred"] as const) {
      const { badge, isOver } = describeCall(callOf(start, end(outcome)));
      expect(["bad", "stopped", "plain"], outcome).toContain(badge.tone);
      expect(isOver).toBe(true);
    }
  });

  test("is shown as an error only if nobody stopped it", () => {
    const error = { code: "e", message: "no such map" };
    const tone = (outcome: CallOutcome) => describeCall(callOf(start, end(outcome, { error }))).problem?.tone;
    expect([tone("error"), tone("timeout"), tone("denied"), tone("cancelled")]).toEqual([
      "bad",
      "bad",
      "stopped",
      "stopped",
    ]);
    expect(describeCall(callOf(start, end("error", { error }))).problem?.message).toBe("no such map");
  });

  test("has the duration that its tool measured, otherwise from execution to end, and none is made up", () => {
    const time = (...events: readonly (readonly [Event, number])[]) =>
      timeText(describeCall(callOf(...events)).time, 0);
    expect(time(start, execute, end("ok", { ms: 42 }))).toBe("42 ms");
    expect(time(start, execute, end("ok"))).toBe("5.0 s");
    expect(time(start, execute, end("interrupted"))).toBe("");
    for (const outcome of ["error", "denied", "cancelled", "interrupted", "deferred"] as const)
      expect(time(start, end(outcome)), outcome).toBe("");
    expect(time(start)).toBe("");
    const open = callOf(start, execute);
    expect(timeText(describeCall(open).time, open.executedAt! + 2540)).toBe("2 s");
  });

  test("shows its status only while it runs", () => {
    const working: readonly [Event, number][] = [
      [{ type: "status", call: "c", text: "Reading" }, 1],
      [{ type: "tool-progress", call: "c", note: "2 of 4", fraction: 0.5 }, 1],
    ];
    expect(describeCall(callOf(start, execute, ...working))).toMatchObject({
      status: "Reading · 2 of 4",
      fraction: 0.5,
    });
    expect(describeCall(callOf(start, execute, ...working, end("ok")))).toMatchObject({
      status: "",
      fraction: undefined,
    });
  });

  test("shows a value only if its parts do not contain it", () => {
    const result = (more: object) => describeResult(callOf(start, execute, end("ok", more)));
    const text = (words: string) => ({ content: [{ type: "text", text: words }] });
    expect(result({})).toBeUndefined();
    expect(result({ value: 3 })?.parts).toEqual([{ kind: "value", value: 3 }]);
    expect(result({ ...text('{"a":1}'), value: { a: 1 } })?.data).toBeUndefined();
    expect(result({ ...text("one"), value: { a: 1 } })?.data).toEqual({ a: 1 });
  });
});

describe("how a run ended", () => {
  const runOf = (finish: Finish, outcome: RunOutcome, more: object = {}) => {
    const { state, add } = folding();
    add({ type: "step-start", step: "s" });
    add({ type: "text-start", part: "p" });
    add({ type: "text-delta", part: "p", delta: "I cannot help with that." });
    add({ type: "text-end", part: "p" });
    add({ type: "step-end", step: "s", finish });
    const last: Event = { type: "run-end", outcome, ...more };
    add(last);
    return { ...describeRun(state), announced: announcementOf(state, last) };
  };

  test("is a success only if it is done and its last answer is complete", () => {
    expect(runOf("stop", "done")).toMatchObject({
      title: "Finished",
      hasSucceeded: true,
      advice: "",
      badge: { tone: "good" },
      announced: undefined,
    });
    expect(runOf("length", "done")).toMatchObject({
      title: "Cut off at the output limit",
      hasSucceeded: false,
      advice: expect.stringMatching(/continue.*raise the limit/),
      badge: { state: "cut", word: "cut off", tone: "stopped" },
      announced: expect.stringContaining("Cut off at the output limit."),
    });
    expect(runOf("filter", "done")).toMatchObject({
      title: "Stopped by a content filter",
      hasSucceeded: false,
      advice: expect.stringMatching(/Rephrase/),
      badge: { state: "filtered", tone: "bad" },
    });
    for (const outcome of ["error", "cancelled", "interrupted"] as const)
      expect(runOf("length", outcome)).toMatchObject({ hasSucceeded: false, badge: { state: outcome } });
  });

  test("a retry is offered if it can help", () => {
    const error = { code: "e", message: "no" };
    expect(runOf("stop", "error", { error: { ...error, retryable: true } }).retry).toBe("offered");
    expect(runOf("stop", "error", { error })).toMatchObject({
      retry: "useless",
      retryNote: expect.stringContaining("fail"),
    });
    expect(runOf("stop", "interrupted").retry).toBe("offered");
    expect(runOf("stop", "cancelled", { error }).problem?.tone).toBe("stopped");
    expect(runOf("stop", "error", { error }).problem).toMatchObject({ message: "No.", tone: "bad" });
    expect(runOf("stop", "done").retry).toBe("none");
  });

  test("after a finished step, a run that can go on offers to continue", () => {
    const error = { code: "e", message: "no" };
    expect(runOf("tools", "error", { error: { ...error, retryable: true } }).resume).toBe(
      "Continue from the failed step",
    );
    expect(runOf("tools", "error", { error: { ...error, code: "step-limit" } }).resume).toBe(
      "Continue from the failed step",
    );
    expect(runOf("tools", "cancelled").resume).toBe("Continue where it stopped");
    expect(runOf("tools", "interrupted").resume).toBe("Continue where it stopped");
    // The same request would fail again, nothing failed, or no step has finished.
    expect(runOf("tools", "error", { error }).resume).toBe("");
    expect(runOf("stop", "done").resume).toBe("");
    for (const finish of ["error", "cancelled", "interrupted", "filter"] as const)
      expect(runOf(finish, "interrupted").resume).toBe("");
    const { state } = folding();
    expect(describeRun(state).resume).toBe("");
  });

  test("a run can be continued only if its agent is known to read the calls and results of earlier runs", () => {
    const { state } = folding();
    const name = state.agentKey!;
    expect(mayResume(state, [{ name, continues: true }])).toBe(true);
    expect(mayResume(state, [{ name }, { name: "other", continues: true }])).toBe(false);
    expect(mayResume(state, [])).toBe(false);
  });

  test("the duration of an interrupted run or sub-agent is unknown", () => {
    expect(runOf("stop", "interrupted").time).toBeUndefined();
    const { state, add } = folding();
    add({ type: "agent-start", agent: "a", name: "reader" });
    add({ type: "agent-end", agent: "a", outcome: "interrupted" });
    expect(describeAgent(state.nodes.get("a") as AgentNode).time).toBeUndefined();
  });

  test("a sub-agent whose last answer was cut has not succeeded either", () => {
    const { state, add } = folding();
    add({ type: "agent-start", agent: "a", name: "reader" });
    add({ type: "step-start", step: "s", agent: "a" });
    add({ type: "step-end", step: "s", agent: "a", finish: "length" });
    add({ type: "agent-end", agent: "a", outcome: "done" });
    expect(describeAgent(state.nodes.get("a") as AgentNode)).toMatchObject({
      badge: { word: "cut off" },
      advice: expect.stringContaining("incomplete"),
    });
  });

  test("while it is active, it works or waits for the user", () => {
    const { state, add } = folding();
    expect(describeRun(state)).toMatchObject({ title: "Working", isOver: false, badge: { word: "working" } });
    add({ type: "status", text: "Reading notes" });
    expect(describeRun(state).title).toBe("Reading notes");
    add({ type: "ask-start", ask: "q", kind: "input" });
    expect(describeRun(state)).toMatchObject({ title: "Waiting for you: 1 open question", badge: { tone: "waiting" } });
    add({ type: "ask-end", ask: "q", outcome: "expired" });
    expect(describeRun(state).title).toBe("Reading notes");
  });
});

describe("an ask", () => {
  const asked = (kind: AskNode["ask"]["kind"], more: Partial<AskNode> = {}, options?: unknown) =>
    describeAsk({ ask: { ask: "a", kind, options }, startedAt: 0, ...more } as AskNode);
  const answered = (kind: AskNode["ask"]["kind"], answer: object, options?: unknown, by?: string) =>
    asked(kind, { outcome: "answered", answer, by } as Partial<AskNode>, options).reply;

  test("shows its result", () => {
    expect(answered("approval", { allow: true, input: {}, always: true }, undefined, "Ines")).toBe(
      "Allowed with edits for the rest of the run by Ines",
    );
    expect(answered("approval", { allow: false, reason: "no" })).toBe("Denied: no");
    expect(answered("confirmation", { allow: true })).toBe("Yes");
    expect(answered("choice", { value: 1 }, [{ value: 1, label: "One" }])).toBe("Answered: One");
    expect(answered("input", { value: { name: "Ines", days: ["Monday"] } })).toBe(
      'Answered: name: Ines · days: ["Monday"]',
    );
    expect(answered("input", { value: null })).toBe("Declined");
    expect(asked("input", { outcome: "expired" }).reply).toBe("No one answered in time");
    expect(asked("approval", { outcome: "answered", answer: { allow: false } }).badge.tone).toBe("stopped");
  });

  test("offers a choice for each way to answer, and shows which was chosen", () => {
    const labels = (...args: Parameters<typeof asked>) => asked(...args).choices.map(({ label }) => label);
    expect(labels("approval")).toEqual(["Allow", "Deny"]);
    expect(labels("confirmation")).toEqual(["Yes", "No"]);
    expect(labels("choice", {}, [{ value: "a" }, { value: 2, label: "Two" }])).toEqual(["a", "Two", "None of these"]);
    expect(labels("input")).toEqual([]);
    const options = [
      { id: "once", label: "Allow once", allow: true },
      { id: "never", label: "Never", allow: false },
    ];
    expect(asked("approval", {}, options).choices.map(({ label, answer }) => [label, answer])).toEqual([
      ["Allow once", { allow: true, option: "once" }],
      ["Never", { allow: false, option: "never" }],
    ]);
    expect(answered("approval", { allow: false, option: "never" }, options, "Ada")).toBe("Denied by Ada (Never)");
  });
});

test("a retry shows what failed, and when it is retried", () => {
  const { state, add } = folding();
  add({ type: "step-start", step: "s" });
  add({ type: "step-retry", step: "s", attempt: 2, wait: 1500, error: { code: "429", message: "slow down" } });
  expect(describeStep(state.nodes.get("s") as StepNode).retries).toEqual([
    { attempt: 2, title: "The request to the model failed: Slow down. Attempt 2 after 1.5 s." },
  ]);
});

test("thinking shows its duration, unless it was cut", () => {
  const thought = (cut: boolean) => {
    const { state, add } = folding();
    add({ type: "thinking-start", part: "t" });
    add({ type: "thinking-end", part: "t", ...(cut && { cut }) }, 1200);
    return describeThinking(state.nodes.get("t") as PartNode).title;
  };
  expect([thought(false), thought(true)]).toEqual(["Thought for 1.2 s", "Thinking, cut off"]);
});

describe("text from others", () => {
  test("links only to web and email addresses, and shows the target", () => {
    for (const url of [
      "javascript:alert(1)",
      " JavaScript:alert(1)",
      "data:text/html,x",
      "https://bank.example@evil.example/",
      "https://user:pw@evil.example",
      "file:///etc/passwd",
      "//evil.example",
      "/runs",
    ])
      expect(describeLink(url, "Click").href, url).toBeUndefined();
    expect(describeLink("https://example.org/a", "Docs")).toEqual({
      href: "https://example.org/a",
      text: "Docs",
      place: "example.org",
    });
    expect(describeLink("https://example.org/a").place).toBe("");
    expect(describeLink("https://evil.example/", "https://bank.example (evil.example)").place).toBe("evil.example");
  });

  test("a citation has its author and its dates", () => {
    const { state, add } = folding();
    const about = { author: "Ann", published: "2025-12-31", accessed: "2026-01-02" };
    add({ type: "citation", citation: "x", title: "A", url: "https://a.example/", ...about });
    add({ type: "citation", citation: "y", title: "B", published: "2024" });
    const facts = state.root.items.map((node) => describeAside(node as MarkNode));
    expect(facts).toMatchObject([
      { title: "A", about: "Ann · 2025-12-31 · accessed 2026-01-02" },
      { title: "B", about: "2024" },
    ]);
  });

  test("hides nothing", () => {
    const hidden = "a\u202Eb\u{E0041}";
    const shown = "a⟦U+202E⟧b⟦U+E0041⟧";
    const { state, add } = folding();
    for (const [event, ms] of callEvents("c", 1, hidden)) add(event, ms);
    add({ type: "notice", level: "info", text: hidden });
    add({ type: "citation", citation: "x", title: hidden });
    add({ type: "ask-start", ask: "q", kind: "input", title: hidden, message: hidden });
    add({ type: "status", text: hidden });
    const [call, notice, citation, ask] = state.root.items;
    expect(describeCall(call as CallNode).name).toBe(shown);
    expect(describeAside(notice as MarkNode)).toMatchObject({ text: shown });
    expect(describeAside(citation as MarkNode)).toMatchObject({ title: shown });
    expect(describeAsk(ask as AskNode)).toMatchObject({ title: shown, message: shown });
    add({ type: "ask-end", ask: "q", outcome: "expired" });
    expect(describeRun(state).title).toBe(shown);
    expect(describeLink("https://a.example/", hidden).text).toBe(shown);
  });
});

test("only what is known about a connection is shown", () => {
  const text = (connection: Parameters<typeof describeConnection>[0]) => describeConnection(connection, 10_000).text;
  expect(text(undefined)).toBe("Paused");
  expect(text({ status: "live", waiting: { waiting: "model", since: 4000 } } as never)).toBe(
    "Live, waiting for the model for 6 s",
  );
  const unstored = { status: "live", waiting: { waiting: "storage", since: 4000 } } as const;
  expect(describeConnection(unstored, 10_000)).toMatchObject({
    text: "Live, waiting for the server's storage for 6 s",
    detail: expect.stringContaining("cannot store it"),
  });
  expect(text({ status: "live", waiting: { waiting: "a later state", since: 4000 } } as never)).toBe(
    "Live, waiting for the agent for 6 s",
  );
  expect(
    text({ status: "reconnecting", attempt: 1, nextAt: 13_000, why: { code: "cut", message: "x" } } as never),
  ).toBe("Connection lost, retrying in 3 s");
  expect(text({ status: "failed", problem: { code: "unknown-run", message: "no" } } as never)).toBe("Refused");
  expect(text({ status: "failed", problem: { code: "no-stream", message: "no" } } as never)).toBe("Not connected");
});

test("without a countdown, a lost connection is reported once", () => {
  const lost = { status: "reconnecting", attempt: 1, nextAt: 13_000, why: { code: "cut", message: "it\u202E ended" } };
  const notice = (more: object, circumstances = {}) =>
    describeConnection({ ...lost, ...more } as never, 10_000, circumstances).notice;
  expect(notice({})).toBe("connection lost: it⟦U+202E⟧ ended; trying again");
  expect(notice({}, { hasBeenLive: false })).toBe("no response yet: it⟦U+202E⟧ ended; trying again");
  expect(notice({ httpStatus: 503 }, { problemText: () => "full (make room)" })).toBe(
    "the server responded: full (make room); trying again",
  );
  expect(describeConnection({ status: "connecting" } as never, 0).notice).toBe("");
});

describe("the clock of a log", () => {
  test("advances from the received times if the server's clock is ahead", () => {
    const clock = createLogClock();
    clock.hear({ since: 9000 }, 4000);
    expect([4000, 4300, 6000].map((own) => timeText({ since: 9000 }, clock.at(own)))).toEqual(["0 s", "0 s", "2 s"]);
    // Earlier events keep their age by the server's clock.
    expect(timeText({ since: 7000 }, clock.at(4000))).toBe("2 s");
  });

  test("equals this device's clock if no time is in the future", () => {
    const clock = createLogClock();
    clock.hear({ since: 1000 }, 4000);
    clock.hear({ ms: 100_000 }, 4000);
    clock.hear(undefined, 4000);
    expect(clock.at(4000)).toBe(4000);
  });

  test("works for the element, too", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 100_000 });
    onTestFinished(() => void vi.useRealTimers());
    const time = { textContent: "", hidden: true };
    const clock = createClock(true);
    clock.show(time as HTMLElement, { since: 160_000 });
    expect(time.textContent).toBe("0 s");
    clock.tick(105_000);
    expect(time.textContent).toBe("5 s");
  });
});

test("a moment is a time of day, with the day if it is another one", () => {
  const at = (...date: [number, number, number, number, number]) => new Date(...date).getTime();
  const now = at(2026, 10, 16, 17, 0);
  const shown = [at(2026, 10, 16, 13, 25), at(2026, 10, 15, 13, 25), at(2025, 11, 31, 9, 5)].map((when) =>
    dateText(when, now, "en-US").replaceAll("\u202f", " "),
  );
  expect(shown).toEqual(["1:25 PM", "Nov 15, 1:25 PM", "Dec 31, 2025, 9:05 AM"]);
});
