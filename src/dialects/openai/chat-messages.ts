import { z } from "zod";
import type { Content, Message, Part } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { fileData, fileOf } from "./file-data.ts";
import { parseJson } from "../../json.ts";

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const userPart = z.discriminatedUnion("type", [
  textPart,
  refusalPart,
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
  z.object({ type: z.literal("input_audio"), input_audio: z.object({ data: z.string(), format: z.string() }) }),
  z.object({
    type: z.literal("file"),
    file: z.object({
      file_data: z.string().optional(),
      filename: z.string().optional(),
      file_id: z.string().optional(),
    }),
  }),
]);
type UserPart = z.infer<typeof userPart>;

const textContent = z.union([z.string(), z.array(z.discriminatedUnion("type", [textPart, refusalPart]))]);
/** Reads only the text of a result: some clients add images. */
const resultContent = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);
const callSchema = z.object({
  id: z.string().min(1).max(256),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

export const chatMessageSchema = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: textContent }),
  z.object({ role: z.literal("developer"), content: textContent }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(userPart)]) }),
  z.object({
    role: z.literal("assistant"),
    content: textContent.nullish(),
    reasoning_content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(callSchema).nullish(),
  }),
  z.object({ role: z.literal("tool"), content: resultContent, tool_call_id: z.string().min(1).max(256) }),
]);
type ChatMessage = z.infer<typeof chatMessageSchema>;

export const readMessage = (message: ChatMessage): Message => {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: readWords(message.content) };
    case "user":
      return { role: "user", content: readWords(message.content) };
    case "assistant": {
      const { content, reasoning_content: thought, refusal, tool_calls: calls } = message;
      return {
        role: "assistant",
        content: [
          ...(thought ? [{ type: "thinking" as const, text: thought }] : []),
          ...readWords(content ?? ""),
          ...readWords(refusal ?? ""),
          ...(calls ?? []).map(readCall),
        ],
      };
    }
    case "tool": {
      const { content, tool_call_id: call } = message;
      const text =
        typeof content === "string" ? content : content.map(({ text: toolMessages = "" }) => toolMessages).join("");
      return { role: "tool", content: [{ type: "result", call, content: [{ type: "text", text }] }] };
    }
  }
};

/** The inverse. Omits what a chat message cannot express, such as error results and provider metadata. */
export const writeMessage = ({ role, content }: Message): unknown[] => {
  const results = content.filter((part) => part.type === "result");
  const rest = content.filter((part) => part.type !== "result");
  const toolMessages = results.map(({ call, content: given }) => ({
    role: "tool",
    tool_call_id: call,
    content: given.map(contentText).join("\n"),
  }));
  if (rest.length === 0 && results.length > 0) return toolMessages;
  if (role === "user") return [{ role, content: writeUser(rest) }, ...toolMessages];
  const text = rest
    .filter((part) => part.type === "text")
    .map(textOf)
    .join("");
  if (role !== "assistant") return [{ role: "system", content: text }, ...toolMessages];
  const thought = rest.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
  const calls = rest.flatMap((part) =>
    part.type === "call"
      ? [{ id: part.call, type: "function", function: { name: part.name, arguments: JSON.stringify(part.input) } }]
      : [],
  );
  const message = {
    role,
    content: text === "" && calls.length > 0 ? null : text,
    ...(thought && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return [message, ...toolMessages];
};

const readWords = (content: string | readonly UserPart[]): Part[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map(readPart);
};

const readPart = (part: UserPart): Part => {
  switch (part.type) {
    case "text":
      return part;
    case "refusal":
      return { type: "text", text: part.refusal };
    case "image_url":
      return fileOf(part.image_url.url, "image/*");
    case "input_audio": {
      const { data, format } = part.input_audio;
      return { type: "file", mediaType: format === "mp3" ? "audio/mpeg" : `audio/${format}`, data };
    }
    case "file": {
      const { file_data: data, filename } = part.file;
      if (data === undefined)
        throw new Refusal("bad-request", "the file is referred to by its id, but this server stores no files", {
          hint: "send the file itself as file_data",
        });
      return { ...fileData(data, filename), ...(filename !== undefined && { name: filename }) };
    }
  }
};

const readCall = ({ id, function: { name, arguments: text } }: z.infer<typeof callSchema>): Part => ({
  type: "call",
  call: id,
  name,
  // Falls back to the raw text, so the model gets back exactly what it wrote.
  input: parseJson(text || "{}", text),
});

const writeUser = (parts: readonly Part[]): string | unknown[] => {
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text") return only.text;
  return parts.flatMap((part) => {
    if (part.type === "text") return [part];
    return part.type === "file" ? [writeFile(part)] : [];
  });
};

const writeFile = ({ mediaType, name, url, data }: Extract<Part, { type: "file" }>): unknown => {
  const audio = /^audio\/(.+)$/.exec(mediaType)?.[1];
  if (audio !== undefined && data !== undefined)
    return { type: "input_audio", input_audio: { data, format: audio === "mpeg" ? "mp3" : audio } };
  const href = data === undefined ? (url ?? "") : `data:${mediaType};base64,${data}`;
  if (name === undefined && mediaType.startsWith("image/")) return { type: "image_url", image_url: { url: href } };
  return { type: "file", file: { file_data: href, ...(name !== undefined && { filename: name }) } };
};

const textOf = (part: Part): string => (part.type === "text" ? part.text : "");

const contentText = (content: Content): string => {
  if (content.type === "text") return content.text;
  if (content.type === "json") return JSON.stringify(content.value);
  if (content.type === "link") return content.url;
  return `[file ${content.name ?? content.file} (${content.mediaType}), ${content.bytes} bytes]\n${content.head ?? ""}`;
};
