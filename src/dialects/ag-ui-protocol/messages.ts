import { z } from "zod";
import type { Content, Message, Part } from "../../events.ts";
import { parseJson } from "../../json.ts";
import { encryptedOf, metaOf } from "./encrypted.ts";
import { contentOf, ownOutcome } from "./result.ts";

const id = z.string().max(1024);
const metadata = z.record(z.string(), z.json()).optional();
const source = z.looseObject({ type: z.string(), value: z.string().optional(), mimeType: z.string().optional() });
const partSchema = z.looseObject({ type: z.string(), text: z.string().optional(), source: source.optional() });
const callSchema = z.object({
  id: z.string().min(1).max(256),
  function: z.object({ name: z.string(), arguments: z.string() }),
  encryptedValue: z.string().optional(),
});
const contentSchema = z.union([z.string(), z.array(partSchema)]);

export const messageSchema = z.discriminatedUnion("role", [
  z.object({ id, role: z.literal("developer"), content: z.string() }),
  z.object({ id, role: z.literal("system"), content: z.string() }),
  z.object({ id, role: z.literal("user"), content: contentSchema }),
  z.object({
    id,
    role: z.literal("assistant"),
    content: contentSchema.nullish(),
    toolCalls: z.array(callSchema).nullish(),
    subagentRunId: z.string().optional(),
  }),
  z.object({
    id,
    role: z.literal("tool"),
    content: contentSchema,
    toolCallId: z.string().min(1).max(256),
    error: z.string().nullish(),
    metadata,
    subagentRunId: z.string().optional(),
  }),
  z.object({
    id,
    role: z.literal("reasoning"),
    content: z.string(),
    encryptedValue: z.string().nullish(),
    subagentRunId: z.string().optional(),
  }),
  z.looseObject({ id, role: z.literal("activity") }),
]);
type AgUiMessage = z.infer<typeof messageSchema>;

/** A conversation, and the client's id of each message. */
export interface Conversation {
  readonly messages: Message[];
  readonly ids: string[];
}

/** Skips messages of sub-agents, whose answers are in the results of the calls that started them, and activities. */
export const readMessages = (input: readonly AgUiMessage[]): Conversation => {
  const messages: Message[] = [];
  const ids: string[] = [];
  let thoughts: Part[] = [];
  const add = (message: Message, name: string): void => {
    if (message.content.length === 0) return;
    messages.push(message);
    ids.push(name);
  };
  for (const message of input) {
    if (message.role === "activity" || ("subagentRunId" in message && message.subagentRunId !== undefined)) continue;
    if (message.role === "reasoning") {
      const { content: text, encryptedValue } = message;
      thoughts.push({ type: "thinking", text, ...(encryptedValue && { meta: metaOf(encryptedValue) }) });
      continue;
    }
    if (message.role === "assistant") {
      const { content, toolCalls } = message;
      add(
        { role: "assistant", content: [...thoughts, ...readWords(content ?? ""), ...(toolCalls ?? []).map(readCall)] },
        message.id,
      );
    } else if (message.role === "tool") add({ role: "tool", content: [readResult(message)] }, message.id);
    else add({ role: message.role === "user" ? "user" : "system", content: readWords(message.content) }, message.id);
    thoughts = [];
  }
  return { messages, ids };
};

/** The inverse. Messages without a client id are numbered. */
export const writeMessages = (messages: readonly Message[], ids: readonly string[] = []): object[] =>
  messages.flatMap((message, index) => writeMessage(message, ids[index] ?? `message-${index + 1}`));

const writeMessage = ({ role, content }: Message, name: string): object[] => {
  const results = content.filter((part) => part.type === "result");
  const rest = content.filter((part) => part.type !== "result");
  const answers = results.map(({ call, content: given, error }, index) => ({
    id: rest.length === 0 && index === 0 ? name : `${name}:${call}`,
    role: "tool",
    toolCallId: call,
    content: given.map(textOfContent).join("\n"),
    ...(error && { metadata: { runcast: { outcome: "error" } } }),
  }));
  if (rest.length === 0) return answers;
  if (role === "user") return [{ id: name, role, content: writeUser(rest) }, ...answers];
  const text = rest.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  if (role !== "assistant") return [{ id: name, role: "system", content: text }, ...answers];
  const thoughts = rest.filter((part) => part.type === "thinking");
  const toolCalls = rest.filter((part) => part.type === "call").map(writeCall);
  return [
    ...thoughts.map(({ text: thought, meta }, index) => ({
      id: `${name}:thought-${index + 1}`,
      role: "reasoning",
      content: thought,
      ...(meta !== undefined && { encryptedValue: encryptedOf(meta) }),
    })),
    { id: name, role, content: text, ...(toolCalls.length > 0 && { toolCalls }) },
    ...answers,
  ];
};

const readWords = (content: string | readonly z.infer<typeof partSchema>[]): Part[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.flatMap(readPart);
};

/** Skips file ids of other servers, which cannot be resolved here. */
const readPart = ({ type, text, source: from }: z.infer<typeof partSchema>): Part[] => {
  if (type === "text") return [{ type: "text", text: text ?? "" }];
  if (from?.value === undefined) return [];
  const mediaType = from.mimeType ?? MEDIA[type] ?? "application/octet-stream";
  return [{ type: "file", mediaType, ...(from.type === "url" ? { url: from.value } : { data: from.value }) }];
};

const MEDIA: Readonly<Record<string, string>> = { image: "image/*", audio: "audio/*", video: "video/*" };

const readCall = ({
  id: call,
  function: { name, arguments: text },
  encryptedValue,
}: z.infer<typeof callSchema>): Part => ({
  type: "call",
  call,
  name,
  // Falls back to the raw text, so the model gets back exactly what it wrote.
  input: parseJson(text || "{}", text),
  ...(encryptedValue !== undefined && { meta: metaOf(encryptedValue) }),
});

const readResult = ({
  toolCallId: call,
  content,
  error,
  metadata: kept,
}: Extract<AgUiMessage, { role: "tool" }>): Part => {
  const failed = error || (ownOutcome(kept) ?? "ok") !== "ok";
  return { type: "result", call, content: contentOf(content), ...(failed && { error: true }) };
};

const writeCall = ({ call, name, input, meta }: Extract<Part, { type: "call" }>): object => ({
  id: call,
  type: "function",
  function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
  ...(meta !== undefined && { encryptedValue: encryptedOf(meta) }),
});

const writeUser = (parts: readonly Part[]): string | object[] => {
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text") return only.text;
  return parts.flatMap((part) => {
    if (part.type === "text") return [part];
    return part.type === "file" ? [writeFile(part)] : [];
  });
};

const writeFile = ({ mediaType, url, data }: Extract<Part, { type: "file" }>): object => {
  const [kind = ""] = mediaType.split("/");
  return {
    type: kind in MEDIA ? kind : "document",
    source:
      data === undefined
        ? { type: "url", value: url ?? "", mimeType: mediaType }
        : { type: "data", value: data, mimeType: mediaType },
  };
};

const textOfContent = (content: Content): string => {
  if (content.type === "text") return content.text;
  if (content.type === "json") return JSON.stringify(content.value);
  if (content.type === "link") return content.url;
  return `[file ${content.name ?? content.file} (${content.mediaType}), ${content.bytes} bytes]\n${content.head ?? ""}`;
};
