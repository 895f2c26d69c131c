import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Event, Json } from "../../src/events.ts";
import { call, ended, eventsIn, framesOf, itemsOf, linesOf, run, shown, start, statuses } from "./open-webui-page.ts";
import { numbered, read, refused } from "./dialect-frames.ts";

const PIPE = "cards; open-webui=0.12.4; mode=native";
const asked = (ask: Partial<Extract<Event, { type: "ask-start" }>>, style = PIPE) => {
  const event = { type: "ask-start", ask: "a/1", kind: "input", call: "c", ...ask } as Event;
  const frames = framesOf(numbered([start, ...call("c", "send", { to: "Ann" }), event]), style);
  return { frames, pipeCalls: linesOf(frames).flatMap(({ runcast }) => (runcast?.call ? [runcast] : [])) };
};

describe("dialogs", () => {
  test("an approval is a confirmation that describes the action", () => {
    const { pipeCalls, frames } = asked({ kind: "approval", title: "Allow send?", value: { to: "`Ann`" } });
    expect(pipeCalls).toEqual([
      {
        call: { type: "confirmation", data: { title: "Allow send?", message: '``{"to":"`Ann`"}``' } },
        answer: "/open-webui/v1/runs/r/asks/a%2F1/yes",
      },
    ]);
    expect(statuses(frames).at(-1)).toBe("✋ Allow send? (waiting for your answer)");
    expect(shown(frames).join()).not.toContain("Answer here");
  });

  test("an approval of edits shows their lines, and hides nothing else", () => {
    const messageFor = (value: Json) =>
      asked({ kind: "approval", title: "Allow edit?", value }).pipeCalls[0].call.data.message;
    const edit = { path: "a.txt", diff: "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+two" };
    expect(messageFor(edit)).toBe(`\`\`\`text\n${edit.diff}\n\`\`\``);
    expect(messageFor({ files: [edit, edit] })).toBe(`\`\`\`text\n${edit.diff}\n\n${edit.diff}\n\`\`\``);
    expect(messageFor({ ...edit, command: "rm" })).toContain('"command":"rm"');
    expect(messageFor({ files: [edit], command: "rm" })).toContain('"command":"rm"');
    expect(messageFor({ ...edit, path: "/etc/passwd" })).toContain("/etc/passwd");
    const long = { ...edit, diff: `${edit.diff}\n+${"x".repeat(5000)}` };
    expect(messageFor(long)).toHaveLength(2000 + "```text\n\n…\n```".length);
  });

  test("a text is an input, a secret is hidden, and other values are JSON", () => {
    expect(asked({ title: "Name?", value: "Ann" }).pipeCalls[0]).toMatchObject({
      call: { type: "input", data: { title: "Name?", value: "Ann" } },
      answer: expect.stringMatching(/\/text$/),
    });
    const secret = asked({ title: "Key?", schema: { type: "string", format: "password" } }).pipeCalls[0];
    expect(secret.call.data).toMatchObject({ type: "password" });
    const form = asked({ title: "Both?", schema: { type: "object" } }).pipeCalls[0];
    expect(form).toMatchObject({
      call: { data: { placeholder: "JSON (object)" } },
      answer: expect.stringMatching(/json$/),
    });
  });

  test("a choice is an input with options, if the version supports them", () => {
    const options = [{ value: "a", label: "First" }, { value: 2 }];
    const { pipeCalls } = asked({ kind: "choice", title: "Which?", options });
    expect(pipeCalls[0].call.data.input).toEqual({
      type: "select",
      options: [
        { value: '"a"', label: "First" },
        { value: "2", label: "2" },
      ],
    });
    const older = asked({ kind: "choice", title: "Which?", options }, "cards; mode=native; open-webui=0.9.6")
      .pipeCalls[0];
    expect(older.call.data).not.toHaveProperty("input");
    expect(older.call.data.message).toContain("`First`");
  });

  test("code runs in the page only if the pipe allows it, otherwise there is a link", () => {
    const code = { kind: "execute", value: "return 1" } as const;
    expect(asked(code).pipeCalls).toEqual([]);
    const link = "`Run JavaScript from send?` [Answer here](http://runcast/?run=r&answer)";
    expect(shown(asked(code).frames).join()).toContain(link);
    expect(asked(code, `${PIPE}; execute=1`).pipeCalls[0].call).toEqual({
      type: "execute",
      data: { code: "return 1" },
    });
  });

  test("once an ask is answered anywhere, the pipe closes its dialog", () => {
    const frames = framesOf(
      numbered([
        start,
        { type: "ask-start", ask: "a", kind: "confirmation", title: "Go on?" },
        { type: "ask-end", ask: "a", outcome: "answered", answer: { allow: true } },
      ]),
      PIPE,
    );
    expect(linesOf(frames)).toContainEqual({ runcast: { answered: "/open-webui/v1/runs/r/asks/a/yes" } });
  });
});

describe("statuses", () => {
  const entries = run(...call("c", "look"), ended("c", "x"));
  const sent = (style?: string) => eventsIn(framesOf(entries, style), "status");

  test("through the pipe, each has `done: false`, and the last `done: true`", () => {
    expect(sent(PIPE)).toEqual([
      { description: "Thinking...", done: false },
      { description: "🔧 look...", done: false },
      { description: "Thinking...", done: false },
      { description: "Complete", done: true },
    ]);
  });

  test("over a connection, only the last has `done`, because after Stop the line would shimmer forever", () => {
    const all = sent();
    expect(all.at(-1)).toEqual({ description: "Complete", done: true });
    for (const data of all.slice(0, -1)) expect(data).not.toHaveProperty("done");
  });

  test("with DEBUG, the first names the run, version, mode and the events that are not shown", () => {
    const [first, second] = sent(`${PIPE}; debug=1`);
    expect(first.description).toMatch(/^debug: run=r; open-webui=0\.12\.4; mode=native; .*not shown: .*\bmessage\b/);
    expect(second.description).toBe("Thinking...");
    expect(sent(PIPE)[0].description).toBe("Thinking...");
    const header = { "Runcast-Pipe": "version=0.1.0; open-webui=0.12.4; mode=native; debug=1" };
    const path = "/open-webui/v1/runs/r/events";
    expect(read(openWebui, { method: "GET", path, headers: header })).toMatchObject({
      style: "cards; open-webui=0.12.4; mode=native; debug=1",
    });
  });
});

describe("answers", () => {
  const answer = (kind: string, result: unknown) =>
    read(openWebui, { path: `/open-webui/v1/runs/r/asks/a%2F1/${kind}`, body: { result } });

  test.each([
    ["yes", true, { allow: true }],
    ["yes", "left over from another dialog", { allow: true }],
    ["yes", false, { allow: false }],
    ["text", "Ann", { value: "Ann" }],
    ["text", "", { value: "" }],
    ["text", false, { allow: false, value: null }],
    ["json", '{"a":1}', { value: { a: 1 } }],
    ["json", "no json", { value: "no json" }],
    ["value", { a: [1] }, { value: { a: [1] } }],
  ])("%s: %j", (kind, result, expected) => {
    expect(answer(kind, result)).toEqual({ do: "answer", run: "r", ask: "a/1", answer: expected });
  });

  test("a dialog that no user saw, or in which none chose, is not an answer", () => {
    expect(refused(() => answer("yes", { error: "Client session disconnected." }))).toMatchObject({ status: 422 });
    expect(refused(() => answer("text", undefined))).toMatchObject({ status: 422 });
    expect(refused(() => answer("option", ""))).toMatchObject({ status: 422 });
    expect(refused(() => answer("whatever", true))).toMatchObject({ status: 400 });
  });
});

describe("a connection that breaks", () => {
  test.each([PIPE, "details; mode=legacy"])("leaves a will that closes everything open (%s)", (style) => {
    const events = [...call("a", "one"), ...call("b", "two"), ended("b", "2"), ended("a", "1")];
    const wills = (count: number) =>
      linesOf(framesOf(numbered([start, ...events.slice(0, count)]), style)).flatMap(({ runcast }) =>
        runcast?.will ? [runcast.will] : [],
      );
    expect(wills(events.length).map((will) => will.length > 0)).toEqual([true, true, true, false]);
    const frames = framesOf(numbered([start, ...events.slice(0, 7)]), style);
    const will = wills(7)
      .at(-1)!
      .map((line: unknown) => ({ data: JSON.stringify(line) }));
    const [first] = shown([...frames, ...will]);
    expect(first).toContain("Error: The connection to the agent was lost.");
    expect(statuses([...frames, ...will]).at(-1)).toBe("Failed ✓");
    const items = itemsOf([...frames, ...will]);
    const results = items.filter(({ type }) => type === "function_call_output").map(({ call_id: id }) => id);
    for (const { type, call_id: id } of items) if (type === "function_call") expect(results).toContain(id);
  });

  test("it can be resumed: each frame has the cursor after it", () => {
    const entries = run(...call("c", "look"), ended("c", "x"));
    const frames = framesOf(entries, PIPE);
    expect(frames.every(({ id }) => id !== undefined)).toBe(true);
    expect(frames.at(-1)?.id).toBe(`${entries.length}`);
    expect(framesOf(entries).some(({ id }) => id !== undefined)).toBe(false);
    const command = read(openWebui, {
      method: "GET",
      path: "/open-webui/v1/runs/r/events",
      headers: { "Last-Event-ID": "3.1", "Runcast-Pipe": "mode=native", "Runcast-Style": "details" },
    });
    expect(command).toEqual({ do: "follow", run: "r", after: { seq: 3, frame: 1 }, style: "details; mode=native" });
  });
});
