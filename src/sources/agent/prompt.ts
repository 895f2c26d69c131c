import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Content, Json, Message, Part } from "../../events.ts";
import { providerIds, splitProviderId } from "../../ids.ts";

export type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];
type PartOf<Type extends Part["type"]> = Extract<Part, { type: Type }>;

/** Converts messages to a model prompt. A call without a result in the history gets one, because providers reject it otherwise. */
export const toPrompt = (
  messages: readonly Message[],
  system: readonly (string | undefined)[],
): LanguageModelV4Prompt => {
  const names = new Map<string, string>();
  const answered = new Set<string>();
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type === "call") names.set(part.call, part.name);
      if (part.type === "result") answered.add(part.call);
    }
  }
  const ids = providerIds(messages);
  const prompt: LanguageModelV4Prompt = [];
  const instructions = system.filter(Boolean).join("\n\n");
  if (instructions) prompt.push({ role: "system", content: instructions });
  for (const message of messages) {
    prompt.push(toModelMessage(message, names, ids));
    const lost = message.content.filter((part) => part.type === "call" && !answered.has(part.call)) as PartOf<"call">[];
    if (lost.length > 0)
      prompt.push({ role: "tool", content: lost.map(({ call, name }) => lostResult(ids.get(call) ?? call, name)) });
  }
  return prompt;
};

/** Converts a prompt back to messages, for tools that read the conversation. */
export const toMessages = (prompt: LanguageModelV4Prompt): Message[] =>
  prompt.map((message) => ({
    role: message.role,
    content:
      typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : message.content.flatMap((part) => toPart(part as AssistantPart)),
  }));

export const resultPart = (
  toolCallId: string,
  name: string,
  content: readonly Content[],
  error: boolean,
): LanguageModelV4ToolResultPart => ({
  type: "tool-result",
  toolCallId,
  toolName: name,
  output: toOutput(content, error),
});

const toModelMessage = (
  { role, content }: Message,
  names: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, string>,
): LanguageModelV4Message => {
  const result = (part: PartOf<"result">) =>
    resultPart(
      ids.get(part.call) ?? part.call,
      part.name ?? names.get(part.call) ?? "unknown",
      part.content,
      part.error ?? false,
    );
  switch (role) {
    case "system":
      return { role, content: content.map((part) => (part.type === "text" ? part.text : "")).join("") };
    case "user":
      return { role, content: content.flatMap((part) => toUserPart(part) ?? []) };
    case "tool":
      return { role, content: content.flatMap((part) => (part.type === "result" ? [result(part)] : [])) };
    case "assistant":
      return {
        role,
        content: content.flatMap((part): AssistantPart[] => {
          if (part.type === "result") return [result(part)];
          if (part.type === "thinking") return [{ type: "reasoning", text: part.text, ...optionsOf(part.meta) }];
          if (part.type !== "call") return [toUserPart(part)].filter((found) => found !== undefined);
          const { call, name: toolName } = part;
          const toolCallId = ids.get(call) ?? call;
          const input = argumentsOf(part.input);
          const { meta } = splitProviderId(part.meta);
          return [{ type: "tool-call", toolCallId, toolName, input, ...optionsOf(meta) }];
        }),
      };
  }
};

/** Providers reject arguments that are not an object. */
export const argumentsOf = (input: Json | undefined): Record<string, Json> =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};

const toUserPart = (part: Part): LanguageModelV4TextPart | LanguageModelV4FilePart | undefined => {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type !== "file") return undefined;
  const { mediaType, name, url, data } = part;
  const file = { type: "file" as const, mediaType, ...(name !== undefined && { filename: name }) };
  if (data !== undefined) return { ...file, data: { type: "data", data } };
  if (url !== undefined && URL.canParse(url)) return { ...file, data: { type: "url", url: new URL(url) } };
  return { type: "text", text: `[file ${name ?? ""} (${mediaType}), not shown here]` };
};

const lostResult = (call: string, name: string): LanguageModelV4ToolResultPart =>
  resultPart(call, name, [{ type: "text", text: "This call was cut off and has no result." }], true);

const toOutput = (content: readonly Content[], error: boolean): LanguageModelV4ToolResultOutput => {
  const [only] = content;
  if (content.length === 1 && only?.type === "json") {
    return { type: error ? "error-json" : "json", value: only.value };
  }
  const text = content.map(contentText).join("\n");
  return { type: error ? "error-text" : "text", value: text };
};

export const contentText = (content: Content): string => {
  switch (content.type) {
    case "text":
      return content.text;
    case "json":
      return JSON.stringify(content.value);
    case "link":
      return content.title ? `${content.title}: ${content.url}` : content.url;
    case "file": {
      const label = `[file ${content.name ?? content.file} (${content.mediaType}), ${content.bytes} bytes]`;
      return content.head ? `${label}\n${content.head}` : label;
    }
  }
};

/** Provider metadata is stored as `meta` and sent back as provider options. */
export const optionsOf = (meta: unknown): { providerOptions?: SharedV4ProviderOptions } =>
  meta === undefined ? {} : { providerOptions: meta as SharedV4ProviderOptions };
export const metaOf = (metadata: unknown): { meta?: Json } =>
  metadata === undefined ? {} : { meta: metadata as Json };

const toPart = (part: AssistantPart): Part[] => {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "reasoning":
      return [{ type: "thinking", text: part.text, ...metaOf(part.providerOptions) }];
    case "tool-call": {
      const { toolCallId: call, toolName: name, input, providerOptions } = part;
      return [{ type: "call", call, name, input: input as Json, ...metaOf(providerOptions) }];
    }
    case "tool-result": {
      const { toolCallId: call, toolName: name, output } = part;
      const error = output.type.startsWith("error") || output.type === "execution-denied";
      return [{ type: "result", call, name, content: outputContent(output), ...(error && { error }) }];
    }
    case "file": {
      const { mediaType, filename, data } = part;
      const file = { type: "file" as const, mediaType, ...(filename !== undefined && { name: filename }) };
      if (data.type === "url") return [{ ...file, url: data.url.href }];
      if (data.type === "data") {
        return [
          { ...file, data: typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64") },
        ];
      }
      return [file];
    }
    default:
      return [];
  }
};

const outputContent = (output: LanguageModelV4ToolResultOutput): Content[] => {
  switch (output.type) {
    case "text":
    case "error-text":
      return [{ type: "text", text: output.value }];
    case "json":
    case "error-json":
      return [{ type: "json", value: output.value as Json }];
    case "execution-denied":
      return [{ type: "text", text: output.reason ?? "denied" }];
    case "content":
      return output.value.flatMap((part) => (part.type === "text" ? [{ type: "text", text: part.text }] : []));
  }
};
