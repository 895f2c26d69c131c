import { afterAll, beforeAll, expect, test } from "vitest";
import { FORWARDED } from "../account.ts";
import { serveFrames } from "../frames-server.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";

const message = (id: string, text: string) => ({
  type: "message",
  id,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
});
const call = (id: string, status: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: `tool_${id}`,
  arguments: "{}",
  status,
});
const result = (id: string, text: string) => ({
  type: "function_call_output",
  id: `fco_${id}`,
  call_id: id,
  status: "completed",
  output: [{ type: "input_text", text }],
});
const added = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item });
const done = (output_index: number, item: object) => ({ type: "response.output_item.done", output_index, item });
const text = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });

/** How Open WebUI handles certain input: the frames, and the lines it shows when reloaded after the end. */
interface Fact {
  readonly frames: readonly object[];
  readonly now: readonly string[];
  /** Up to 0.11.0. */
  readonly before?: readonly string[];
  /** From 0.11.1 to 0.11.3, where a result replaces its call. */
  readonly between?: readonly string[];
  /** How many requests the server gets for one message. */
  readonly asked?: number;
}

const FACTS: Readonly<Record<string, Fact>> = {
  "a call and its result, item by item": {
    frames: [added(0, call("a", "in_progress")), done(0, call("a", "completed")), added(1, result("a", "ok"))],
    now: ["View Result from tool_a"],
    between: [],
  },
  "an item with a known id takes its place, but joins the others before 0.11.1": {
    frames: [added(0, call("a", "in_progress")), added(0, call("a", "completed")), added(1, result("a", "ok"))],
    now: ["View Result from tool_a"],
    before: ["Explored 2 tool_a"],
    between: [],
  },
  "calls without words between them are one row": {
    frames: [call("a", "completed"), result("a", "x"), call("b", "completed"), result("b", "y")].map((item, index) =>
      added(index, item),
    ),
    now: ["Explored tool_a, tool_b"],
    between: [],
  },
  "a call without a result is run by Open WebUI, which then asks again": {
    frames: [added(0, call("a", "completed"))],
    now: ["View Result from tool_a", "Asked 2 times."],
    asked: 2,
  },
  "so is a call in the words of chat completions": {
    frames: [
      {
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, id: "b", type: "function", function: { name: "tool_b", arguments: "{}" } }],
            },
          },
        ],
      },
    ],
    now: ["View Result from tool_b", "Asked 2 times."],
    asked: 2,
  },
  "an empty snapshot changes nothing, but wiped the message before 0.11.1": {
    frames: [
      added(0, message("m", "Some text.")),
      { type: "response.completed", response: { output: [] } },
      added(1, message("n", "More.")),
    ],
    now: ["Some text.", "More."],
    before: ["More."],
  },
  "once there are items, appended and replaced content is not seen": {
    frames: [
      added(0, message("m", "An item.")),
      { event: { type: "message", data: { content: "appended" } } },
      { event: { type: "replace", data: { content: "replaced" } } },
    ],
    now: ["An item."],
  },
  "an error line is kept": {
    frames: [added(0, message("m", "Some text.")), { error: { message: "The model is gone" } }],
    now: ["Some text.", "The model is gone"],
  },
  "an event that tells of an error is not": {
    frames: [
      added(0, message("m", "Some text.")),
      { event: { type: "chat:message:error", data: { error: { content: "Told as event" } } } },
    ],
    now: ["Some text."],
  },
};

describeLive("what it makes of what it is sent", ({ program }) => {
  const live = useLive(program);
  let telling: readonly object[] = [];
  let asked = 0;
  let frames: Awaited<ReturnType<typeof serveFrames>>;
  beforeAll(async () => {
    frames = await serveFrames("facts", async function* () {
      asked += 1;
      yield* asked === 1 ? telling : [text(`Asked ${asked} times.`)];
    });
    await live.account.connect({ url: frames.url, headers: FORWARDED });
  });
  afterAll(() => frames.close());

  test.each(Object.entries(FACTS))("%s", async (_, fact) => {
    telling = fact.frames;
    asked = 0;
    const chat = await live.open({ model: "facts" });
    await chat.send("Go");
    await chat.answer.waitFor();
    await expect.poll(() => live.account.isDone(chat.page.url().replace(/^.*\//, ""))).toBe(true);
    await chat.reload();
    const { version } = live.openWebUi;
    const other = /^0\.(10\.|11\.0)/.test(version) ? fact.before : /^0\.11\.[123]$/.test(version) && fact.between;
    await expect.poll(() => chat.lines()).toEqual(other || fact.now);
    expect(asked).toBe(fact.asked ?? 1);
  });
});
