import { expect } from "vitest";
import type { Entry } from "../../src/events.ts";
import { type CallNode, type PartNode, type RunState, createState, fold } from "../../src/state.ts";
import { verify } from "../../src/verify.ts";
import { type Replayed, logOf } from "./recording.ts";

export const stateOf = (entries: readonly Entry[]): RunState => {
  const state = createState();
  for (const entry of entries) fold(state, entry);
  return state;
};

/** Compares the folded run with the messages, read here independently of the decoder. */
export const expectFaithful = async (replayed: Replayed): Promise<RunState> => {
  const entries = await logOf(replayed);
  expect(verify(entries)).toBeUndefined();
  const state = stateOf(entries);
  expect(state.error?.code).not.toBe("invalid-event");
  const nodes = [...state.nodes.values()];
  const calls = nodes.filter((node): node is CallNode => node.kind === "call");

  expect(textIn(nodes.filter((node): node is PartNode => node.kind === "text"))).toBe(chunks(replayed, "message"));
  expect(textIn(nodes.filter((node): node is PartNode => node.kind === "thinking"))).toBe(chunks(replayed, "thought"));

  const named = [
    ...replayed.updates
      .filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"))
      .map((one) => one.toolCallId),
    ...replayed.permissions.map(({ toolCall }) => toolCall.toolCallId),
  ] as string[];
  expect(new Set(calls.map((call) => keyOf(entries, call)))).toEqual(new Set(named));
  for (const call of calls)
    expect([keyOf(entries, call), call.state]).toEqual([
      keyOf(entries, call),
      outcomeIn(replayed, keyOf(entries, call), call),
    ]);

  for (const call of calls) {
    const reports = [...replayed.updates, ...replayed.permissions.map(({ toolCall }) => toolCall)].filter(
      ({ toolCallId }) => toolCallId === keyOf(entries, call),
    );
    const inputs = reports.flatMap(({ rawInput = {} }) => (Object.keys(rawInput).length > 0 ? [rawInput] : []));
    // The arguments of an agent that died may be incomplete.
    if (inputs.length > 0 && call.state !== "interrupted") expect(inputs).toContainEqual(call.input);
    const results = replayed.updates.filter((one) => one.toolCallId === keyOf(entries, call) && one.content);
    if (call.state === "ok") expect(textOf(call.content)).toContain(unfenced(textOf(results.at(-1)?.content)));
  }

  const asks = entries.filter(({ event }) => event.type === "ask-start").length;
  expect(asks).toBe(replayed.permissions.length + replayed.forms);

  const plan = replayed.updates.findLast(({ sessionUpdate }) => sessionUpdate === "plan")?.entries as any[] | undefined;
  const words: Record<string, string> = { pending: "pending", active: "in_progress", done: "completed" };
  const todos = (state.data.get("todos") as any[] | undefined)?.map(({ text, status }) => ({
    content: text,
    status: words[status],
  }));
  expect(todos).toEqual(plan?.map(({ content, status }) => ({ content, status })));
  expect(state.outcome).toBe(runOutcome(replayed, calls.length));
  return state;
};

const textIn = (parts: readonly PartNode[]): string => parts.map(({ text }) => text).join("");

/** The text in the content of a call, ours or the agent's. */
const textOf = (content: readonly any[] = []): string =>
  content.map((part) => (part.type === "content" ? part.content.text : part.text) ?? "").join("");

/** Some agents put a result into a code block. */
const unfenced = (text: string): string => text.replace(/^```\w*\n([^]*)\n```$/, "$1").trim();

const chunks = ({ updates }: Replayed, kind: string): string => {
  const messages = updates.filter(({ sessionUpdate }) => sessionUpdate === `agent_${kind}_chunk`);
  return messages.map(({ content }) => content.text ?? "").join("");
};

const keyOf = (entries: readonly Entry[], { id }: CallNode): string => {
  const start = entries.find(({ event }) => event.type === "tool-start" && event.call === id)?.event;
  return (start!.meta as { toolCallId: string }).toolCallId;
};

/** The expected outcome, from the agent's last status and the user's actions. */
const outcomeIn = ({ updates, permissions, isCancelled, answer }: Replayed, key: string, call: CallNode): string => {
  const last = updates.findLast((one) => one.toolCallId === key && one.status)?.status as string | undefined;
  const asked = permissions.filter(({ toolCall }) => toolCall.toolCallId === key);
  const isOver = last === "completed" || last === "failed";
  if (asked.some(({ allow }) => allow === false)) return "denied";
  const { exitCode } = (call.value ?? {}) as { exitCode?: number };
  if (isOver && !isCancelled) return last === "completed" && !exitCode ? "ok" : "error";
  // The last status does not show whether the call was over before the cancel.
  if (isCancelled)
    return call.state === "ok" && last === "completed"
      ? "ok"
      : call.state === "error" && last === "failed"
        ? "error"
        : "cancelled";
  return answer?.result?.stopReason === "cancelled" ? "cancelled" : "interrupted";
};

const runOutcome = (replayed: Replayed, calls: number): string => {
  if (replayed.isCancelled && replayed.answer?.result) return "cancelled";
  if (!replayed.answer?.result) return "error";
  const { stopReason } = replayed.answer.result;
  return stopReason === "end_turn" && calls === 0 && chunks(replayed, "message").trim() === "" ? "error" : "done";
};
