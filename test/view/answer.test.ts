import { describe, expect, test } from "vitest";
import { textOfMarkdown } from "../../src/markdown.ts";
import { answerMarkdown, attentionOf, describeRun } from "../../src/view.ts";
import { folding } from "./folding.ts";

describe("the answer to copy", () => {
  test("consists of the parts that the run names as its answer, or of all the agent's own text", () => {
    const { state, add } = folding();
    for (const [part, delta] of [
      ["a", "Let me look. "],
      ["b", "**It rains.**\n"],
    ] as const) {
      add({ type: "step-start", step: `s-${part}` });
      add({ type: "text-start", part });
      add({ type: "text-delta", part, delta });
      add({ type: "text-end", part });
      add({ type: "step-end", step: `s-${part}`, finish: "stop" });
    }
    expect(answerMarkdown(state)).toBe("Let me look.\n\n**It rains.**");
    add({ type: "run-end", outcome: "done", answer: ["b"] });
    expect(answerMarkdown(state)).toBe("**It rains.**");
  });

  test.each([
    ["# A *title*\n\nand [a link](https://example.org) and `code`", "A title\n\nand a link and code"],
    ["- one\n- two\n  - deep\n", "- one\n- two\n  - deep"],
    ["3. three\n\n4. four\n", "3. three\n\n4. four"],
    ["```ts\nconst a = '*';\n```\n", "const a = '*';"],
    ["| a | b |\n|---|---|\n| *1* | 2 |\n", "a\tb\n1\t2"],
    ["> quoted\n\n---\n\n$$\nx^2\n$$\n", "quoted\n\nx^2"],
  ])("%j reads %j without its marks", (markdown, text) => {
    expect(textOfMarkdown(markdown)).toBe(text);
  });
});

describe("notifications", () => {
  test("an open ask and the end of the run cause one, and nothing else", () => {
    const { state, add } = folding();
    const take = (event: Parameters<typeof add>[0]) => {
      add(event);
      return attentionOf(state, event);
    };
    expect(take({ type: "step-start", step: "s" })).toBeUndefined();
    expect(take({ type: "ask-start", ask: "a", kind: "choice", title: "Which\none?" })).toEqual({
      title: "Waiting for you",
      text: "Which one?",
    });
    expect(take({ type: "ask-end", ask: "a", outcome: "cancelled" })).toBeUndefined();
    take({ type: "step-end", step: "s", finish: "length" });
    expect(take({ type: "run-end", outcome: "done" })).toEqual({ title: "Cut off at the output limit", text: "test" });
    expect(describeRun(state).canContinue).toBe(true);
  });
});
