import { z } from "zod";
import type { Command, Dialect, DialectRequest } from "../../dialect.ts";
import type { Json } from "../../events.ts";
import { type ClientTool, Refusal, type RunRequest } from "../../source.ts";
import { chatMessageSchema, readMessage, writeMessage } from "./messages.ts";
import { readStyle, writeStyle } from "./style.ts";

type Start = Extract<Command, { do: "start" }>;

const toolSchema = z.object({
  type: z.string(),
  function: z
    .object({ name: z.string().min(1), description: z.string().nullish(), parameters: z.json().optional() })
    .optional(),
});

export const chatSchema = z.object({
  model: z.string().min(1).optional(),
  messages: z.array(chatMessageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z.unknown().optional(),
  user: z.string().max(256).nullish(),
  metadata: z.record(z.string(), z.json()).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  seed: z.number().nullish(),
  reasoning_effort: z.string().nullish(),
});
type ChatRequest = z.infer<typeof chatSchema>;

/** Our names of the settings that have the same meaning there. */
const SETTINGS = {
  temperature: "temperature",
  top_p: "topP",
  max_completion_tokens: "maxOutputTokens",
  seed: "seed",
  reasoning_effort: "reasoning",
} as const satisfies Partial<Record<keyof ChatRequest, string>>;

export const readStart = ({ body, headers }: DialectRequest): Command => {
  const asked = parse(body);
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
  const style = writeStyle({
    ...(asked.model !== undefined && { model: asked.model }),
    ...(asked.stream && asked.stream_options?.include_usage && { usage: true }),
    ...(tools.length > 0 && { tools: true }),
  });
  return {
    do: "start",
    request,
    style,
    ...(headers.get("runcast-extensions") === "1" && { extensions: true }),
    ...(!asked.stream && { whole: "end" }),
  };
};

export const writeStart = ({ request, style, extensions, whole }: Start): ReturnType<Dialect["write"]> => {
  const { agent, messages, system, tools = [], user, metadata, settings = {} } = request;
  const told = Object.entries(SETTINGS).map(([theirs, ours]) => [theirs, settings[ours]]);
  const body = {
    ...(agent !== undefined && { model: agent }),
    messages: [...(system ? [{ role: "system", content: system }] : []), ...messages.flatMap(writeMessage)],
    ...(!whole && { stream: true }),
    // Who has not said how it is to be answered wants to know what is used, which is said only if it is asked for.
    ...(!whole && (readStyle(style).usage ?? style === undefined) && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(user && { user: user.id }),
    ...(metadata && { metadata }),
    ...Object.fromEntries(told.filter(([, value]) => value !== undefined)),
  };
  const headers = {
    "content-type": "application/json",
    accept: whole ? "application/json" : "text/event-stream",
    ...(extensions && { "runcast-extensions": "1" }),
  };
  return { method: "POST", path: "/v1/chat/completions", headers, body: JSON.stringify(body) };
};

const parse = (body: unknown): ChatRequest => {
  const result = chatSchema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = (issue?.path ?? []).map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const where = field ? `the field ${field.replace(/^\./, "")}` : "the body";
  throw new Refusal("bad-request", `${where} is wrong: ${issue?.message ?? "unknown"}`);
};

/** Tools of other kinds are the provider's, and no business of an agent that has its own. */
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
