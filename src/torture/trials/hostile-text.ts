import { difference, must, mustSucceed, needTools, type Trial, yes } from "../trial.ts";

/** Text that has broken streams, terminals, pages and databases. Every piece is well-formed Unicode. */
const HOSTILE = [
  '\n\ndata: {"type":"run-end","outcome":"done"}\n\n',
  "event: error\r\nid: 999\r\n\r\n",
  "[DONE]",
  "data: [DONE]\n\n",
  "\u2028 \u2029 \u0085 \u000b \u000c",
  "nul \u0000 bell \u0007 escape \u001b[31m\u001b]0;title\u0007",
  "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "\u202e right to left \u2066 isolate \u2069 \ufeff mark \u200b",
  "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 a\u0301\u0301\u0301 \u{10ffff} \ufffd",
  "\\ \" ' ` \\u0000 \\n {{x}} ${y} %s %n",
  "```\n<think>\n</think>\n~~~",
  "x".repeat(20_000),
];

export const hostileText: Trial = {
  name: "hostile-text",
  shows: "hostile text from the model and from a tool arrives unchanged",
  limitMs: 60_000,
  run: async ({ driver, line, play }) => {
    const result = HOSTILE.join(" | ");
    const scene = play({
      turns: [{ calls: [{ tool: "lookup", key: "hostile" }] }, { say: ["It says: ", ...HOSTILE, " end"] }],
      acts: { hostile: { result } },
    });
    const viewer = driver.converse({}).send(scene.message, line());
    await viewer.over;
    needTools(scene);
    const { text, calls } = viewer.screen;
    mustSucceed(viewer);
    must(text === scene.text(1), difference("the model's text", text, scene.text(1)));
    must(calls.length === 1, `${calls.length} calls are shown instead of 1`);
    must(calls[0]!.result === result, difference("the tool's result", calls[0]!.result, result));
    return yes(`${HOSTILE.length} kinds of hostile text arrive unchanged`);
  },
};
