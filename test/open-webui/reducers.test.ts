import { describe, expect, test } from "vitest";
import { ungrouped } from "./display.ts";
import { generation, generations } from "./generations.ts";
import { createOpenWebui } from "./open-webui.ts";
import type { OutputItem, ResponseEvent } from "./output-items.ts";

const line = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const event = (type: string, data: unknown): string => line({ event: { type, data } });
const response = (type: string, rest: Omit<ResponseEvent, "type"> = {}): string =>
  line({ type: `response.${type}`, ...rest });

const call: OutputItem = { type: "function_call", id: "fc", call_id: "c", name: "ls", arguments: '{"in":"."}' };
const result: OutputItem = {
  type: "function_call_output",
  id: "fco",
  call_id: "c",
  status: "completed",
  output: [{ type: "input_text", text: "a.txt" }],
};
const message = (id: string, text = ""): OutputItem => ({
  type: "message",
  id,
  role: "assistant",
  status: "in_progress",
  content: [{ type: "output_text", text }],
});
const started = response("output_item.added", { output_index: 0, item: { ...call, status: "in_progress" } });

const shown = (name: string, lines: string) => {
  const webui = createOpenWebui(generation(name));
  webui.take(lines);
  return webui;
};
const cards = (name: string, lines: string) => ungrouped(shown(name, lines).display().items);

describe.each(generations)("generation $name", ({ name, tellsFailed, overlaysReload, stopped }) => {
  test("spins a started call, and opens it once it has a result", () => {
    const [running] = cards(name, started);
    expect(running).toMatchObject({ kind: "card", state: "spinner", arguments: { in: "." }, result: undefined });
    expect(running).toMatchObject({ label: tellsFailed ? "Preparing ls..." : "Executing ls..." });
    const whole = response("completed", { response: { output: [{ ...call, status: "completed" }, result] } });
    expect(cards(name, started + whole)).toMatchObject([
      { state: "done", label: "View Result from ls", result: "a.txt" },
    ]);
  });

  test("shows a failed call in red if supported", () => {
    const failed = { ...result, output: [{ type: "input_text", text: "Error: no such file" }] };
    const whole = response("completed", { response: { output: [{ ...call, status: "failed" }, failed] } });
    expect(cards(name, started + whole)).toMatchObject([{ state: tellsFailed ? "failed" : "done" }]);
  });

  test("runs a call itself that is open when the stream ends, and one that a delta requests", () => {
    const open = shown(name, started);
    open.end();
    expect(open.executes).toEqual([{ call: "c", name: "ls", arguments: '{"in":"."}' }]);
    const asked = shown(
      name,
      line({
        choices: [{ delta: { tool_calls: [{ index: 0, id: "x", function: { name: "rm", arguments: "{}" } }] } }],
      }),
    );
    asked.end();
    expect(asked.executes).toEqual([{ call: "x", name: "rm", arguments: "{}" }]);
  });

  test("runs nothing when the user presses Stop, and saves the message so far", () => {
    const webui = shown(name, started);
    webui.stop();
    expect(webui.executes).toEqual([]);
    expect(webui.saved.output).toMatchObject([{ status: stopped === "left" ? "in_progress" : "incomplete" }]);
    expect(ungrouped(webui.reloaded().items)).toMatchObject([{ state: stopped === "left" ? "spinner" : "done" }]);
  });

  test("adds text to the named item", () => {
    const lines =
      response("output_item.added", { output_index: 0, item: message("m0") }) +
      response("output_item.added", { output_index: 1, item: message("m1") }) +
      response("output_text.delta", { output_index: 0, item_id: "m0", content_index: 0, delta: "first" }) +
      response("output_text.delta", { output_index: 1, item_id: "m1", content_index: 0, delta: "second" });
    expect(cards(name, lines)).toEqual([
      { kind: "text", text: "first" },
      { kind: "text", text: "second" },
    ]);
    const swapped = response("content_part.done", {
      output_index: 0,
      item_id: "m0",
      content_index: 0,
      part: { type: "output_text", text: "1" },
    });
    expect(cards(name, lines + swapped)).toMatchObject([{ text: "1" }, { text: "second" }]);
  });

  test("groups adjacent items, but not across text", () => {
    const calls = (between: OutputItem[]) =>
      response("completed", {
        response: {
          output: [call, result, ...between, { ...call, id: "2", call_id: "2" }, { ...result, id: "3", call_id: "2" }],
        },
      });
    expect(shown(name, calls([])).display().items).toMatchObject([{ kind: "group", items: [{}, {}] }]);
    expect(shown(name, calls([message("m", " \n")])).display().items).toMatchObject([{ kind: "group" }]);
    expect(shown(name, calls([message("m", "so")])).display().items).toHaveLength(3);
  });

  test("loses events that it does not save on a reload", () => {
    const webui = shown(
      name,
      event("status", { description: "reading", done: false }) +
        event("source", {
          source: { name: "A", id: "a" },
          document: ["text"],
          metadata: [{ source: "a", name: "A" }],
        }) +
        event("files", { files: [{ name: "1" }] }) +
        event("files", { files: [{ name: "2" }] }) +
        event("embeds", { embeds: ["<p>1</p>"] }) +
        event("embeds", { embeds: ["<p>2</p>"], replace: true }) +
        event("chat:message:tasks", { tasks: [{ id: "1", content: "do", status: "pending" }] }) +
        event("chat:message:follow_ups", { follow_ups: ["More?"] }),
    );
    const live = webui.display();
    expect(live).toMatchObject({
      status: { text: "reading", shimmers: true },
      sources: [{ name: "A", text: "text" }],
      files: [{ name: "2" }],
      embeds: ["<p>2</p>"],
      tasks: [{}],
      followUps: ["More?"],
    });
    expect(webui.reloaded()).toEqual({ ...live, tasks: [], followUps: [], files: [{ name: "2" }, { name: "1" }] });
  });

  test("gives a page that is loaded during a run the items so far, if supported", () => {
    const webui = shown(name, started);
    expect(webui.reloaded().items).toHaveLength(overlaysReload ? 1 : 0);
    webui.take(response("in_progress"));
    expect(webui.display().items).toHaveLength(1);
  });

  test("hides text that is sent as an event once there are items", () => {
    const webui = shown(name, event("message", { content: "words" }));
    expect(webui.display().items).toEqual([{ kind: "text", text: "words" }]);
    webui.take(started + event("replace", { content: "others" }));
    expect(ungrouped(webui.display().items)).toMatchObject([{ kind: "card" }]);
  });

  test("shows an error as an error, and ignores lines that are not part of the stream", () => {
    const webui = shown(
      name,
      `: comment\nevent: x\nid: 7\ndata: [DONE]\ndata: {"half\n${line({ error: { message: "no" } })}`,
    );
    expect(webui.display()).toMatchObject({ error: "no", items: [] });
    expect(webui.saved.error).toEqual({ content: { message: "no" } });
  });
});

test("an item beyond the end of the list stops the page of 0.11.1 until it gets all items", () => {
  const early =
    response("output_item.added", { output_index: 2, item: message("m2", "two") }) +
    response("output_item.added", { output_index: 3, item: message("m3", "three") });
  const texts = (lines: string, rules = generation("B")) => {
    const webui = createOpenWebui(rules);
    webui.take(lines);
    return webui.display().items.map((item) => item.kind === "text" && item.text);
  };
  expect(texts(early)).toEqual(["two"]);
  expect(texts(early, { ...generation("B"), leavesHoles: false })).toEqual(["two", "three"]);
  const all = [message("m2", "two"), message("m3", "three")];
  expect(texts(early + response("completed", { response: { output: all } }))).toEqual(["two", "three"]);
});

test("the obvious protocol loses its card only in 0.11.1 to 0.11.3", () => {
  const done = { ...call, status: "completed" };
  const lines =
    started +
    response("output_item.done", { output_index: 0, item: done }) +
    response("output_item.added", { output_index: 1, item: result }) +
    response("output_item.done", { output_index: 1, item: result });
  const states = generations.map(({ name }) => cards(name, lines).map((each) => each.kind === "card" && each.state));
  expect(states).toEqual([["done"], [], ["done"], ["done"]]);
});

test("a stream that ends on thinking without times breaks the oldest", () => {
  const lines = response("output_item.added", { output_index: 0, item: { type: "reasoning", id: "r", content: [] } });
  const crashes = generations.map(({ name }) => {
    const webui = shown(name, lines);
    webui.end();
    return webui.crash === undefined;
  });
  expect(crashes).toEqual([false, true, true, true]);
});

test("a snapshot per delta has quadratic cost, an event per delta does not", () => {
  const cost = (name: string) => {
    const big = { ...result, output: [{ type: "input_text", text: "x".repeat(50_000) }] };
    const webui = shown(name, response("completed", { response: { output: [call, big, message("m")] } }));
    for (let token = 0; token < 500; token++)
      webui.take(response("output_text.delta", { output_index: 2, item_id: "m", content_index: 0, delta: "word " }));
    webui.end();
    return webui.socketBytes() / 2 ** 20;
  };
  expect(cost("A")).toBeGreaterThan(24);
  expect(cost("D")).toBeLessThan(0.4);
});
