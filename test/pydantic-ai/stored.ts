import { expect } from "vitest";
import type { CallNode, PartNode, RunState } from "../../src/state.ts";

const OUTCOMES: Readonly<Record<string, string>> = {
  success: "ok",
  retried: "error",
  failed: "error",
  denied: "denied",
};

/** Compares a run with the messages that PydanticAI keeps of it: text, thoughts, calls, results and their outcomes. */
export const expectStored = (state: RunState, messages: readonly any[]): void => {
  const parts: any[] = messages.flatMap((message) => message.parts);
  const textOf = (kind: string) => parts.map((part) => (part.part_kind === kind ? part.content : "")).join("");
  const nodes = [...state.nodes.values()];
  const shown = (kind: "text" | "thinking") =>
    nodes.flatMap((node) => (node.kind === kind ? [(node as PartNode).text] : [])).join("");
  expect(shown("text")).toBe(textOf("text"));
  expect(shown("thinking")).toBe(textOf("thinking"));
  const calls = nodes.filter((node): node is CallNode => node.kind === "call");
  const stored = parts.filter((part) => part.part_kind === "tool-call");
  expect(calls.map(({ name, input }) => [name, input])).toEqual(
    stored.map((part) => [part.tool_name, JSON.parse(part.args)]),
  );
  for (const [index, { tool_call_id: id }] of stored.entries()) {
    const result = parts.find((part) => part.part_kind === "tool-return" && part.tool_call_id === id);
    const { state: outcome, content, error } = calls[index]!;
    expect(outcome).toBe(result ? OUTCOMES[result.outcome] : "deferred");
    if (typeof result?.content !== "string") continue;
    const text = content?.map((part) => (part.type === "text" ? part.text : "")).join("");
    expect(text || error?.message).toBe(result.content);
  }
};
