import { z } from "zod";
import type { Json } from "../../events.ts";
import type { ClientTool, RunRequest } from "../../source.ts";
import { chatMessageSchema, readMessage, writeMessage } from "./chat-messages.ts";
import { parseBody } from "../requests/parse-body.ts";

const toolSchema = z.object({
  type: z.string(),
  function: z
    .object({ name: z.string().min(1), description: z.string().nullish(), parameters: z.json().optional() })
    .optional(),
});

/** Fields that requests in both of OpenAI's formats share. */
export const requestFields = {
  model: z.string().min(1).optional(),
  stream: z.boolean().nullish(),
  tool_choice: z.unknown().optional(),
  user: z.string().max(256).nullish(),
  metadata: z.record(z.string(), z.json()).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
};

/** The body of a chat completion request, as sent by OpenAI's clients and compatible ones. */
export const chatSchema = z.object({
  ...requestFields,
  messages: z.array(chatMessageSchema).min(1),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(toolSchema).nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  seed: z.number().nullish(),
  reasoning_effort: z.string().nullish(),
});
export type ChatRequest = z.infer<typeof chatSchema>;

/** Maps OpenAI's settings to our names. */
const SETTINGS = {
  temperature: "temperature",
  top_p: "topP",
  max_completion_tokens: "maxOutputTokens",
  seed: "seed",
  reasoning_effort: "reasoning",
} as const satisfies Partial<Record<keyof ChatRequest, string>>;

/** Returns the run request and the parsed body. */
export const readChat = (body: unknown): { readonly request: RunRequest; readonly asked: ChatRequest } => {
  const asked = parseBody(chatSchema, body);
  const tools = asked.tool_choice === "none" ? [] : (asked.tools ?? []).flatMap(readTool);
  const settings = readSettings(asked);
  const request: RunRequest = {
    messages: asked.messages.map(readMessage),
    ...(asked.model !== undefined && { agent: asked.model }),
    ...(tools.length > 0 && { tools }),
    ...(asked.user && { user: { id: asked.user } }),
    ...(asked.metadata && { metadata: asked.metadata }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
  return { request, asked };
};

/** The inverse, without the fields that control the response format. */
export const writeChat = (request: RunRequest): Record<string, unknown> => {
  const { agent, messages, system, tools = [], user, metadata, settings = {} } = request;
  const given = Object.entries(SETTINGS).map(([theirs, ours]) => [theirs, settings[ours]]);
  return {
    ...(agent !== undefined && { model: agent }),
    messages: [...(system ? [{ role: "system", content: system }] : []), ...messages.flatMap(writeMessage)],
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(user && { user: user.id }),
    ...(metadata && { metadata }),
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  };
};

/** Ignores tools of other kinds: they belong to the provider, and the agent has its own. */
const readTool = ({ type, function: about }: z.infer<typeof toolSchema>): ClientTool[] => {
  if (type !== "function" || !about) return [];
  const { name, description, parameters: schema } = about;
  return [{ name, ...(description && { description }), ...(schema !== undefined && { schema }) }];
};

const writeTool = ({ name, description, schema }: ClientTool): unknown => ({
  type: "function",
  function: { name, ...(description && { description }), ...(schema !== undefined && { parameters: schema }) },
});

const readSettings = (asked: ChatRequest): Record<string, Json> => {
  const settings: Record<string, Json> = {};
  if (asked.max_tokens != null) settings["maxOutputTokens"] = asked.max_tokens;
  for (const [theirs, ours] of Object.entries(SETTINGS)) {
    const value = asked[theirs as keyof typeof SETTINGS];
    if (value != null) settings[ours] = value;
  }
  return settings;
};
