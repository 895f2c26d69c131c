import { z } from "zod";
import type { Content, Message, Part } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { fileData, fileOf } from "./file-data.ts";
import { parseJson } from "../../json.ts";

const contentPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  image_url: z.string().nullish(),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  filename: z.string().nullish(),
});
type ContentPart = z.infer<typeof contentPart>;

const id = z.string().min(1).max(256);
const texts = z.array(z.looseObject({ text: z.string() }));

/** An item without a type is a message. Items of other types belong to the provider and are skipped. */
const itemSchema = z.union([
  z.looseObject({
    type: z.literal("message").optional(),
    role: z.enum(["system", "developer", "user", "assistant"]),
    content: z.union([z.string(), z.array(contentPart)]),
  }),
  z.looseObject({ type: z.literal("function_call"), call_id: id, name: z.string(), arguments: z.string() }),
  z.looseObject({
    type: z.literal("function_call_output"),
    call_id: id,
    output: z.union([z.string(), z.array(contentPart)]),
  }),
  z.looseObject({ type: z.literal("reasoning"), summary: texts, content: texts.nullish() }),
  z.looseObject({
    type: z
      .string()
      .refine(
        (type) => !["message", "function_call", "function_call_output", "reasoning"].includes(type),
        "is invalid",
      ),
  }),
]);
type Item = z.infer<typeof itemSchema>;

export const inputSchema = z.union([z.string().min(1), z.array(itemSchema)]);

/**
 * Merges neighboring items of one role into one message, because models expect the calls of one answer together. Files
 * in results follow as a user message, since few models accept files in results.
 */
export const readInput = (input: z.infer<typeof inputSchema>): Message[] => {
  if (typeof input === "string") return [{ role: "user", content: [{ type: "text", text: input }] }];
  const messages: Message[] = [];
  let files: Part[] = [];
  const flushFiles = () => {
    if (files.length > 0) messages.push({ role: "user", content: files });
    files = [];
  };
  for (const item of input) {
    const message = readItem(item);
    if (message && message.role !== "tool") flushFiles();
    files.push(...filesOfResult(item));
    const last = messages.at(-1);
    const isMore =
      last && message && last.role === message.role && message.role !== "user" && message.role !== "system";
    if (isMore) last.content.push(...message.content);
    else if (message) messages.push(message);
  }
  flushFiles();
  return messages;
};

const filesOfResult = (item: Item): Part[] => {
  if (item.type !== "function_call_output") return [];
  const { call_id: call, output } = item as Extract<Item, { output: unknown }>;
  const files = typeof output === "string" ? [] : readContent(output).filter(({ type }) => type === "file");
  return files.length === 0 ? [] : [{ type: "text", text: `The result of call ${call} includes this:` }, ...files];
};

const readItem = (item: Item): Message | undefined => {
  if ("role" in item && "content" in item) {
    const { role, content } = item as Extract<Item, { role: unknown }>;
    return { role: role === "developer" ? "system" : role, content: readContent(content) };
  }
  switch (item.type) {
    case "function_call": {
      const { call_id: call, name, arguments: text } = item as Extract<Item, { arguments: unknown }>;
      return { role: "assistant", content: [{ type: "call", call, name, input: parseJson(text || "{}", text) }] };
    }
    case "function_call_output": {
      const { call_id: call, output } = item as Extract<Item, { output: unknown }>;
      const text = typeof output === "string" ? output : output.map(({ text: pending }) => pending ?? "").join("");
      return { role: "tool", content: [{ type: "result", call, content: [{ type: "text", text }] }] };
    }
    case "reasoning": {
      const { summary, content } = item as Extract<Item, { summary: unknown }>;
      const text = (content?.length ? content : summary).map(({ text: pending }) => pending).join("\n\n");
      return text === "" ? undefined : { role: "assistant", content: [{ type: "thinking", text }] };
    }
    default:
      return undefined;
  }
};

const readContent = (content: string | readonly ContentPart[]): Part[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map((part): Part => {
    const text = part.text ?? part.refusal;
    if (text !== undefined) return { type: "text", text };
    const name = part.filename ? { name: part.filename } : {};
    if (part.image_url) return fileOf(part.image_url, "image/*");
    if (part.file_data) return { ...fileData(part.file_data, part.filename), ...name };
    if (part.file_url) return { type: "file", mediaType: "application/octet-stream", url: part.file_url, ...name };
    throw new Refusal("bad-request", `content of type ${part.type.slice(0, 40)} has no readable content`, {
      hint: "send text, or an image or a file inline: this server stores no files",
    });
  });
};

/** The inverse. Omits what items cannot express, such as error results and provider metadata. */
export const writeInput = (messages: readonly Message[]): unknown => {
  const [only] = messages;
  const [part] = only?.content ?? [];
  if (messages.length === 1 && only?.role === "user" && only.content.length === 1 && part?.type === "text")
    return part.text;
  return messages.flatMap(writeMessage);
};

const writeMessage = ({ role, content }: Message): unknown[] => {
  const items: unknown[] = [];
  let pending: unknown[] = [];
  const flush = () => {
    if (pending.length > 0) items.push({ type: "message", role, content: pending });
    pending = [];
  };
  for (const part of content) {
    if (part.type === "text")
      pending.push({ type: role === "assistant" ? "output_text" : "input_text", text: part.text });
    else if (part.type === "file") pending.push(writeFile(part));
    else {
      flush();
      items.push(writePart(part));
    }
  }
  flush();
  return items;
};

const writePart = (part: Exclude<Part, { type: "text" | "file" }>): unknown => {
  if (part.type === "call")
    return { type: "function_call", call_id: part.call, name: part.name, arguments: JSON.stringify(part.input) };
  if (part.type === "thinking") return { type: "reasoning", summary: [{ type: "summary_text", text: part.text }] };
  return { type: "function_call_output", call_id: part.call, output: part.content.map(contentText).join("\n") };
};

const writeFile = ({ mediaType, name, url, data }: Extract<Part, { type: "file" }>): unknown => {
  const href = data === undefined ? url : `data:${mediaType};base64,${data}`;
  if (name === undefined && mediaType.startsWith("image/")) return { type: "input_image", image_url: href };
  const filename = name !== undefined && { filename: name };
  return { type: "input_file", ...(data === undefined ? { file_url: url } : { file_data: href }), ...filename };
};

const contentText = (content: Content): string => {
  if (content.type === "text") return content.text;
  if (content.type === "json") return JSON.stringify(content.value);
  if (content.type === "link") return content.url;
  return `[file ${content.name ?? content.file} (${content.mediaType}), ${content.bytes} bytes]\n${content.head ?? ""}`;
};
