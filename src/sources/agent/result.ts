import type { Content, Json, Problem } from "../../events.ts";
import type { RunContext } from "../../source.ts";
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

const INLINE = 64 * 1024;

/** The same content with what is too large for an event kept beside the log. */
export const kept = (content: readonly Content[], put: RunContext["put"], name: string): Promise<Content[]> =>
  Promise.all(
    content.map(async (part): Promise<Content> => {
      if (part.type !== "text" && part.type !== "json") return part;
      const text = contentText(part);
      if (Buffer.byteLength(text) <= INLINE) return part;
      const file = part.type === "text" ? { mediaType: "text/plain", name: `${name}.txt` } : JSON_FILE(name);
      return { type: "file", ...(await put(text, file)) };
    }),
  );

export const bytesOf = (content: readonly Content[]): number =>
  content.reduce((sum, part) => sum + (part.type === "file" ? part.bytes : Buffer.byteLength(contentText(part))), 0);

const JSON_FILE = (name: string) => ({ mediaType: "application/json", name: `${name}.json` });

const toJson = (value: unknown): Json => {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`The tool returned a ${typeof value}, which is not JSON.`);
  return JSON.parse(text) as Json;
};
