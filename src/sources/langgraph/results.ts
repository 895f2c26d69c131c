import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Content, Finish, Json, Usage } from "../../events.ts";
import { countOf, jsonOf, lineOf, textOf } from "../upstream/reading.ts";
import type { CallResult } from "../upstream/agent-writer.ts";
import { fieldNamed, unwrapped } from "./protocol.ts";

/** The result of a call: a tool message, or a command that contains one. */
export const resultOf = (output: unknown, key: string): CallResult & { readonly isError: boolean } => {
  const message = messageIn(output, key);
  if (!message) {
    const value = output === undefined || output === null || isCommand(output) ? undefined : output;
    return { content: value === undefined ? [] : [oneContent(value)], isError: false };
  }
  const content = contentsOf(message["content"]);
  const isError = message["status"] === "error";
  const artifact = jsonOf(message["artifact"]);
  return {
    content,
    isError,
    ...(artifact !== undefined && artifact !== null && { value: artifact }),
    ...(isError && { error: { code: "tool-error", message: firstText(content) } }),
  };
};

/** A command without a tool message updates the graph's state and has no result to show. */
const isCommand = (output: unknown): boolean => {
  const { lg_name: name, update } = fieldsOf(output);
  return name === "Command" || (typeof update === "object" && update !== null);
};

const messageIn = (output: unknown, key: string): Fields | undefined => {
  const fields = unwrapped(output);
  if ("content" in fields) return fields;
  const messages = listOf(fieldsOf(fields["update"])["messages"]).map(unwrapped);
  return (
    messages.find((one) => fieldNamed(one, "tool_call_id") === key) ?? messages.findLast((one) => "content" in one)
  );
};

const MAX_BLOCKS = 200;

const contentsOf = (content: unknown): Content[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return content === null || content === undefined ? [] : [oneContent(content)];
  return content.slice(0, MAX_BLOCKS).map(oneContent);
};

const oneContent = (value: unknown): Content => {
  if (typeof value === "string") return { type: "text", text: value };
  const block = fieldsOf(value);
  const text = textOf(block["text"]);
  if (block["type"] === "text" && text !== undefined) return { type: "text", text };
  const url = textOf(fieldsOf(block["image_url"])["url"]) ?? textOf(block["url"]);
  // Inline bytes would be shown as text, so they are replaced below.
  if (url !== undefined && /^https?:/.test(url)) return { type: "link", url };
  if (typeof block["base64"] === "string" || url?.startsWith("data:"))
    return { type: "text", text: `[${lineOf(block["type"], 40) ?? "file"}]` };
  return { type: "json", value: jsonOf(value) ?? null };
};

const firstText = (content: readonly Content[]): string => {
  const first = content.find((one) => one.type === "text");
  return first?.type === "text" && first.text !== "" ? first.text.slice(0, 2000) : "The tool failed.";
};

export const usageOf = (value: unknown): Usage | undefined => {
  const fields = fieldsOf(value);
  const input = countOf(fields["input_tokens"]);
  const output = countOf(fields["output_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  const reasoning = countOf(fieldsOf(fields["output_token_details"])["reasoning"]);
  const cached = countOf(fieldsOf(fields["input_token_details"])["cache_read"]);
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(reasoning && { reasoning }),
    ...(cached && { cached }),
  };
};

/** Why the response ended, unless it ended normally or with calls. */
export const finishOf = (data: Fields): Finish | undefined => {
  const metadata = fieldsOf(data["metadata"]);
  const reason = data["reason"] ?? metadata["stop_reason"] ?? metadata["finish_reason"];
  if (reason === "length" || reason === "max_tokens" || reason === "MAX_TOKENS") return "length";
  if (reason === "content_filter" || reason === "refusal" || reason === "SAFETY") return "filter";
  return undefined;
};

const STATUSES = new Map<unknown, string>([
  ["in_progress", "active"],
  ["completed", "done"],
  ["cancelled", "cancelled"],
]);

/** The list of a TodoListMiddleware. */
export const todosOf = (value: unknown): Json =>
  listOf(value)
    .slice(0, MAX_BLOCKS)
    .map((one, index) => {
      const { content, status } = fieldsOf(one);
      return {
        id: String(index + 1),
        text: lineOf(content, 500) ?? "",
        status: STATUSES.get(status) ?? "pending",
      };
    });
