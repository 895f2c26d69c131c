import { isAnyArrayBuffer } from "node:util/types";
import type { Content, Json, Problem } from "../../events.ts";
import type { RunContext } from "../../source.ts";
import { ToolResult } from "../../tool.ts";
import { contentText } from "./prompt.ts";

export interface Result {
  readonly content: readonly Content[];
  readonly value?: Json;
  readonly error?: Problem;
}

/**
 * Converts a tool's return value to content. Stores bytes as a file alongside the log, and throws a returned error. Throws
 * if the value is not JSON.
 */
export const resultOf = async (returned: unknown, put: RunContext["put"]): Promise<Result> => {
  if (returned === undefined) return { content: [] };
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  if (returned instanceof Error) throw returned;
  const bytes = bytesIn(returned);
  if (bytes) return { content: [{ type: "file", ...(await put(bytes, { mediaType: "application/octet-stream" })) }] };
  if (!(returned instanceof ToolResult)) return { content: [{ type: "json", value: toJson(returned) }] };
  const { value, isError } = returned;
  const content = returned.content.map((part) =>
    part.type === "json" ? { ...part, value: toJson(part.value) } : part,
  );
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

const bytesIn = (value: unknown): Uint8Array | undefined => {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isAnyArrayBuffer(value) ? new Uint8Array(value) : undefined;
};

/**
 * Round-trips a value through JSON. Throws, naming the field, for values that JSON.stringify would silently empty or
 * cannot serialize.
 */
const toJson = (value: unknown): Json => {
  const check = function (this: Record<string, unknown>, key: string, field: unknown): unknown {
    // Check `this[key]` too: a Buffer's toJSON has already replaced it in `field`.
    const kind = nonJsonKind(this[key]) ?? nonJsonKind(field);
    if (kind) throw new TypeError(`The tool returned ${kind}${key ? ` in the field ${key}` : ""}, which is not JSON.`);
    return field;
  };
  const text = stringified(value, check);
  if (text === undefined) throw new TypeError(`The tool returned a ${typeof value}, which is not JSON.`);
  return JSON.parse(text) as Json;
};

const stringified = (
  value: unknown,
  check: (this: any, key: string, field: unknown) => unknown,
): string | undefined => {
  try {
    return JSON.stringify(value, check);
  } catch (error) {
    if (!(error instanceof TypeError) || !/circular|cyclic/i.test(error.message)) throw error;
    throw new TypeError("The tool returned something that contains itself, which is not JSON.", { cause: error });
  }
};

const nonJsonKind = (value: unknown): string | undefined => {
  if (typeof value === "bigint") return "a BigInt";
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof Map || value instanceof WeakMap) return "a Map";
  if (value instanceof Set || value instanceof WeakSet) return "a Set";
  if (value instanceof Promise) return "a Promise";
  return ArrayBuffer.isView(value) || isAnyArrayBuffer(value) ? "bytes" : undefined;
};
