import { z } from "zod";
import type { Message, Part } from "../../events.ts";
import { fastApi } from "../fast-api/refusals.ts";

const textSchema = z.object({ type: z.literal("text"), text: z.string() });
const imageSchema = z.object({
  type: z.literal("image_url"),
  image_url: z.union([z.string(), z.object({ url: z.string() })]),
});
/** The history comes from other programs, so unknown roles and parts do not refuse the request. */
const messageSchema = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(z.union([textSchema, imageSchema, z.looseObject({})]))]).nullish(),
});
const bodySchema = z.object({
  user_id: z.string().max(256).optional(),
  chat_id: z.string().max(256).optional(),
  messages: z.array(messageSchema).min(1),
});
type Body = z.infer<typeof bodySchema>;
type ChatMessage = Body["messages"][number];
type ChatPart = z.infer<typeof textSchema> | z.infer<typeof imageSchema>;

export const bodyJsonSchema = () => z.toJSONSchema(bodySchema, { io: "input" });

export const parseBody = (body: unknown): Body =>
  fastApi.parse(bodySchema, body, 'a request is {"user_id", "chat_id", "messages": [{"role", "content"}]}');

export const readMessages = (messages: readonly ChatMessage[]): Message[] =>
  messages.map(({ role, content }) => ({
    role: roleOf(role),
    content: typeof content === "string" ? readText(content) : (content ?? []).filter(isKnown).map(readPart),
  }));

/** Any role other than user and system belongs to the agent or its tools. */
const roleOf = (role: string): "system" | "user" | "assistant" => {
  if (role === "user" || role === "human") return "user";
  return role === "system" || role === "developer" ? "system" : "assistant";
};

const isKnown = (part: object): part is ChatPart =>
  textSchema.safeParse(part).success || imageSchema.safeParse(part).success;

/** Omits what the family cannot express (calls, results, thinking), and messages that contain nothing else. */
export const writeMessages = (messages: readonly Message[], system: string | undefined): ChatMessage[] => [
  ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
  ...messages.flatMap(({ role, content }): ChatMessage[] => {
    const parts = content.flatMap(writePart);
    if (role === "tool" || (parts.length === 0 && content.length > 0)) return [];
    if (parts.length === 0) return [{ role, content: "" }];
    const [only] = parts;
    return [{ role, content: parts.length === 1 && only?.type === "text" && only.text ? only.text : parts }];
  }),
];

const readText = (text: string): Part[] => (text === "" ? [] : [{ type: "text", text }]);

const DATA_URL = /^data:([^;,]+);base64,/;

const readPart = (part: ChatPart): Part => {
  if (part.type === "text") return part;
  const url = typeof part.image_url === "string" ? part.image_url : part.image_url.url;
  const [opening, mediaType] = DATA_URL.exec(url) ?? [];
  if (opening === undefined) return { type: "file", mediaType: "image/*", url };
  return { type: "file", mediaType: mediaType!, data: url.slice(opening.length) };
};

const writePart = (part: Part): ChatPart[] => {
  if (part.type === "text") return [part];
  if (part.type !== "file") return [];
  const url = part.data === undefined ? part.url : `data:${part.mediaType};base64,${part.data}`;
  return url === undefined ? [] : [{ type: "image_url", image_url: { url } }];
};
