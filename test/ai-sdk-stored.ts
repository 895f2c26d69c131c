import type { ModelMessage, UIMessage } from "ai";
import type { RunState } from "../src/state.ts";

/** What a run shows and what the SDK keeps of it, in one form. */
interface Kept {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown; readonly outcome: string }[];
}

export const keptInRun = ({ nodes }: RunState): Kept => {
  const all = [...nodes.values()];
  const joined = (kind: "text" | "thinking") => all.map((node) => (node.kind === kind ? node.text : "")).join("");
  const calls = all.filter((node) => node.kind === "call");
  return {
    text: joined("text"),
    thinking: joined("thinking"),
    calls: calls.map(({ name, input, state }) => ({ name, input, outcome: state })),
  };
};

/** The messages that a model's next request would contain. */
export const keptInMessages = (messages: readonly ModelMessage[]): Kept => {
  const parts: any[] = messages.flatMap(({ content }) => content as any);
  const joined = (type: string) => parts.map((part) => (part.type === type ? part.text : "")).join("");
  const outcomes: Readonly<Record<string, string>> = { "execution-denied": "denied", "error-text": "error" };
  return {
    text: joined("text"),
    thinking: joined("reasoning"),
    calls: parts
      .filter(({ type }) => type === "tool-call")
      .map(({ toolCallId, toolName, input }) => {
        const result = parts.find((part) => part.type === "tool-result" && part.toolCallId === toolCallId);
        const outcome = result ? (outcomes[result.output.type] ?? "ok") : "deferred";
        return { name: toolName, input, outcome };
      }),
  };
};

/** The message that an app of the SDK would save. */
export const keptInMessage = ({ parts }: UIMessage): Kept => {
  const all: any[] = parts;
  const joined = (type: string) => all.map((part) => (part.type === type ? part.text : "")).join("");
  const outcomes: Readonly<Record<string, string>> = {
    "output-available": "ok",
    "output-error": "error",
    "output-denied": "denied",
    "input-available": "deferred",
  };
  return {
    text: joined("text"),
    thinking: joined("reasoning"),
    calls: all
      .filter(({ type }) => type.startsWith("tool-") || type === "dynamic-tool")
      .map(({ type, toolName, input, state }) => ({
        name: toolName ?? type.replace("tool-", ""),
        input,
        outcome: outcomes[state] ?? state,
      })),
  };
};
