import type { ModelMessage } from "ai";
import type { Content, Message, Part } from "../../events.ts";
import { splitProviderId } from "../../ids.ts";
import type { RunContext } from "../../source.ts";

type Get = RunContext["get"];
type Of<Role extends ModelMessage["role"]> = Extract<ModelMessage, { role: Role }>;
type AssistantPart = Exclude<Of<"assistant">["content"], string>[number];
type UserPart = Exclude<Of<"user">["content"], string>[number];
type Result = Extract<Of<"tool">["content"][number], { type: "tool-result" }>;

/** Converts a conversation to the SDK's messages. Omits system messages, because an agent has its own instructions. */
export const modelMessages = async (messages: readonly Message[], get: Get): Promise<ModelMessage[]> => {
  const names = new Map<string, string>();
  const written: ModelMessage[] = [];
  for (const { role, content } of messages) {
    const results: Result[] = [];
    const parts: (AssistantPart | UserPart)[] = [];
    for (const part of content) {
      if (part.type === "call") names.set(part.call, part.name);
      if (part.type === "result") results.push(resultOf(part, names));
      else parts.push(...(await partOf(part, get)));
    }
    if (role === "user" && parts.length > 0) written.push({ role, content: parts as UserPart[] });
    if (role === "assistant" && parts.length > 0) written.push({ role, content: parts as AssistantPart[] });
    if (results.length > 0) written.push({ role: "tool", content: results });
  }
  return written;
};

const partOf = async (part: Exclude<Part, { type: "result" }>, get: Get): Promise<(AssistantPart | UserPart)[]> => {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "thinking": {
      const { meta } = part;
      return [{ type: "reasoning", text: part.text, ...(isRecord(meta) && { providerOptions: meta as never }) }];
    }
    case "call": {
      const { meta } = splitProviderId(part.meta);
      return [
        {
          type: "tool-call",
          toolCallId: part.call,
          toolName: part.name,
          input: part.input,
          ...(isRecord(meta) && { providerOptions: meta as never }),
        },
      ];
    }
    case "file": {
      const { mediaType, name, url, data, file } = part;
      const bytes = data ?? (url === undefined && file !== undefined ? await get(file) : undefined);
      if (bytes === undefined && url === undefined) return [];
      return [
        { type: "file", mediaType, data: bytes ?? new URL(url ?? ""), ...(name !== undefined && { filename: name }) },
      ];
    }
  }
};

const resultOf = (part: Extract<Part, { type: "result" }>, names: ReadonlyMap<string, string>): Result => {
  const { call: toolCallId, content, error } = part;
  const [first] = content;
  const text = content.map(contentText).join("\n");
  const output: Result["output"] = error
    ? { type: "error-text", value: text }
    : content.length === 1 && first?.type === "json"
      ? { type: "json", value: first.value as never }
      : { type: "text", value: text };
  return { type: "tool-result", toolCallId, toolName: part.name ?? names.get(toolCallId) ?? "tool", output };
};

const contentText = (content: Content): string => {
  if (content.type === "text") return content.text;
  if (content.type === "json") return JSON.stringify(content.value);
  return content.type === "link" ? content.url : (content.head ?? content.name ?? content.file);
};

const isRecord = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
