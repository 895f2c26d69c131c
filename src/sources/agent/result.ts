import type { Content, Json, Problem } from "../../events.ts";
import { ToolResult } from "../../tool.ts";
import { contentText } from "./prompt.ts";

export interface Result {
  readonly content: readonly Content[];
  readonly value?: Json;
  readonly error?: Problem;
}

/** What a tool returned, as content. Throws if it is nothing that JSON can say. */
export const resultOf = (returned: unknown): Result => {
  if (returned === undefined) return { content: [] };
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  if (!(returned instanceof ToolResult)) return { content: [{ type: "json", value: toJson(returned) }] };
  const { content, value, isError } = returned;
  return {
    content,
    ...(value !== undefined && { value: toJson(value) }),
    ...(isError && {
      error: { code: "tool-failed", message: content.map(contentText).join("\n") || "The tool failed." },
    }),
  };
};

export const bytesOf = (content: readonly Content[]): number =>
  content.reduce((sum, part) => sum + (part.type === "file" ? part.bytes : Buffer.byteLength(contentText(part))), 0);

const toJson = (value: unknown): Json => {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`The tool returned a ${typeof value}, which is not JSON.`);
  return JSON.parse(text) as Json;
};
