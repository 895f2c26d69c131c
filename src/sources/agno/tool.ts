import { type Fields, fieldsOf } from "../../json.ts";
import type { Content, Json } from "../../events.ts";
import { jsonOf, lineOf, textOf } from "../upstream/reading.ts";
import type { CallResult } from "../upstream/agent-writer.ts";

/** One tool execution, as Agno describes it in every event about it. */
export interface ToolFields {
  /** Agno's own object, to be sent back with an answer. */
  readonly raw: Fields;
  readonly key: string;
  readonly name: string;
  readonly args: Json | undefined;
  readonly isError: boolean;
  /** Whether it waits for the user, or for a result from outside the agent. */
  readonly isWaiting: boolean;
  /** For a call that starts members, Agno measures only the start, so the duration is omitted. */
  result(isCause: boolean, links: readonly Content[]): CallResult;
}

export const UNASKED = { code: "not-approved", message: "The server ran this call without waiting for an answer." };

/** ReasoningTools. Their arguments are the thought, and a reasoning step repeats it. */
export const isThought = (name: string): boolean => name === "think" || name === "analyze";

export const toolOf = (fields: Fields): ToolFields => {
  const raw = fieldsOf(fields["tool"]);
  const name = lineOf(raw["tool_name"], 200) ?? "unknown";
  const isError = raw["tool_call_error"] === true || textOf(fields["error"]) !== undefined;
  const isOpen = (flag: string, done: unknown): boolean => raw[flag] === true && (done === null || done === undefined);
  return {
    raw,
    key: textOf(raw["tool_call_id"]) || `${name} ${JSON.stringify(raw["tool_args"] ?? null)}`,
    name,
    args: jsonOf(raw["tool_args"]) ?? undefined,
    isError,
    isWaiting:
      isOpen("requires_confirmation", raw["confirmed"]) ||
      isOpen("requires_user_input", raw["answered"]) ||
      isOpen("external_execution_required", raw["result"]) ||
      (Array.isArray(raw["user_feedback_schema"]) && raw["answered"] !== true && raw["result"] == null),
    result: (isCause, links) => {
      const text = resultText(raw["result"]) ?? textOf(fields["error"]) ?? "";
      const { duration } = fieldsOf(raw["metrics"]);
      const ms = typeof duration === "number" && duration >= 0 && !isCause ? Math.round(duration * 1000) : undefined;
      const content: Content[] = [...(text === "" ? [] : [{ type: "text" as const, text }]), ...links];
      return {
        content,
        ms,
        ...(isError && { error: { code: "tool-error", message: text.slice(0, 2000) || "The tool failed." } }),
      };
    },
  };
};

const resultText = (result: unknown): string | undefined =>
  result === null || result === undefined ? undefined : typeof result === "string" ? result : JSON.stringify(result);
