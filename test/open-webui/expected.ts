import type { AgentNode, CallNode, PartNode, RunState } from "../../src/state.ts";
import { looksLikeError, readJson } from "./display.ts";
import type { Generation } from "./generations.ts";
import { resultText } from "../../src/dialects/frames/result-text.ts";

/**
 * What the user must see of a run in Open WebUI, derived only from its state:
 *
 * - The root agent's text and thinking, and every call, including those of sub-agents, in start order. Text of
 *   sub-agents is not shown, because it is not the answer.
 * - Blank text is omitted. A part that replaces another appears in its place.
 * - A call spins until it has ended, then shows its result. It is marked as failed if it did not succeed (or if Open
 *   WebUI takes its text for an error), if the generation supports that.
 * - Thinking spins while it is in progress, unless another item has joined the message after it, even an invisible one.
 * - An open ask is a line of text with a link, until it is answered.
 * - A tool's own text is code, never Markdown.
 */
export type Expected =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string; readonly state: "spinner" | "done" }
  | { readonly kind: "ask" }
  | { readonly kind: "words"; readonly text: string }
  | ExpectedCard;

export interface ExpectedCard {
  readonly kind: "card";
  readonly call: string;
  readonly outcome: CallNode["state"];
  readonly name: string;
  readonly state: "spinner" | "done" | "failed";
  readonly label: string;
  /** Undefined until they are known. */
  readonly arguments: unknown;
  /** The result as text. Undefined while the call is running. */
  readonly result: string | undefined;
}

export const expectedItems = (
  state: RunState,
  generation: Generation,
  { hasCards, isLast }: { readonly hasCards: boolean; readonly isLast: (thinking: string) => boolean },
): readonly Expected[] => {
  const shown: Expected[] = [];
  const placed = [...state.nodes.values()].filter((node) => {
    if (node.kind === "call") return hasCards;
    if (node.kind === "ask") return true;
    return (
      (node.kind === "text" || node.kind === "thinking") && node.agent === undefined && node.replaces === undefined
    );
  });
  for (const node of placed) {
    if (node.kind === "call") shown.push(card(node, state, generation));
    else if (node.kind === "ask" && node.outcome === undefined) shown.push({ kind: "ask" });
    else if (node.kind === "thinking") shown.push(thinking(node, isLast(node.id)));
    else if (node.kind === "text") {
      const text = latest(node, state);
      if (node.call !== undefined && text !== "") shown.push({ kind: "words", text });
      else if (text.trim() !== "") shown.push({ kind: "text", text });
    }
  }
  return shown;
};

/** The text that currently replaces this part. */
const latest = (part: PartNode, state: RunState): string => {
  const next = part.replacedBy === undefined ? undefined : state.nodes.get(part.replacedBy);
  return next?.kind === "text" ? latest(next, state) : part.text;
};

const thinking = ({ text, endedAt }: PartNode, isLast: boolean): Expected => ({
  kind: "thinking",
  text,
  state: endedAt === undefined && isLast ? "spinner" : "done",
});

const card = (call: CallNode, state: RunState, { tellsFailed }: Generation): ExpectedCard => {
  const agent = call.agent === undefined ? undefined : (state.nodes.get(call.agent) as AgentNode);
  const name = agent ? `${agent.name} › ${call.name}` : call.name;
  const isOpen = call.state === "pending" || call.state === "executing";
  const result = isOpen ? undefined : resultTextOf(call);
  const isOk = call.state === "ok" || call.state === "deferred";
  const isFailed = tellsFailed && !isOpen && (!isOk || looksLikeError(result ?? ""));
  const doing = call.state === "pending" && tellsFailed ? "Preparing" : "Executing";
  const isDenied = call.state === "denied" && tellsFailed;
  return {
    kind: "card",
    call: call.id,
    outcome: call.state,
    name,
    state: isOpen ? "spinner" : isFailed ? "failed" : "done",
    label: isOpen ? `${doing} ${name}...` : isDenied ? `Denied ${name}` : `View Result from ${name}`,
    arguments: call.inputDone || call.executedAt !== undefined || !isOpen ? argumentsOf(call) : undefined,
    result,
  };
};

/** Incomplete arguments are shown as their raw text. */
const argumentsOf = ({ input, inputText, edited }: CallNode): unknown => {
  if (edited || inputText === "") return input ?? {};
  try {
    return JSON.parse(inputText);
  } catch {
    return readJson(inputText);
  }
};

const resultTextOf = ({ content, value }: CallNode): string =>
  resultText({ ...(content && { content: [...content] }), value }, () => "/file");

/** The text as displayed: without terminal control sequences, and with a replacement character for half a surrogate pair. */
export const readable = (value: unknown): unknown => {
  if (typeof value === "string") {
    return (
      value
        // oxlint-disable-next-line no-control-regex
        .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g, "")
        .replace(/\r\n?/g, "\n")
        // oxlint-disable-next-line no-control-regex
        .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
        .toWellFormed()
    );
  }
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readable(each)]));
};
