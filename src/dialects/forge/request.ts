import { z } from "zod";
import type { Command, Dialect, DialectRequest } from "../../dialect.ts";
import type { Json, Message, Part } from "../../events.ts";
import { Refusal, type RunRequest } from "../../source.ts";
import { readKeys, writeKeys } from "./keys.ts";
import { readModel, UNCHOSEN } from "./model-name.ts";
import { fastApi } from "../fast-api/refusals.ts";

export const startSchema = z.object({
  user_message: z.string().min(1),
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })).nullish(),
  system_prompt: z.string().nullish(),
  model: z.string().nullish(),
  provider: z.string().nullish(),
  enable_tools: z.boolean().nullish(),
  use_toon_format: z.boolean().nullish(),
  use_tool_rag_mode: z.boolean().nullish(),
  extra_mcp_servers: z
    .array(z.object({ name: z.string().min(1), url: z.url(), api_key: z.string().nullish() }))
    .nullish(),
});

type Start = Extract<Command, { do: "start" }>;

export const readStart = ({ body, headers, params }: DialectRequest): Start => {
  const asked = parse(startSchema, body);
  const provider = headers.get("x-llm-provider") || asked.provider || undefined;
  const chosen = asked.model ? readModel(asked.model, provider) : {};
  const agent = params["agent"] ?? chosen.agent;
  if (chosen.agent !== undefined && chosen.agent !== agent)
    throw new Refusal("wrong-agent", `the model ${asked.model?.slice(0, 100)} is not an agent on this path`, {
      hint: "GET …/models lists the agents",
    });
  const servers = asked.extra_mcp_servers ?? [];
  const secrets = readKeys(headers, provider, servers);
  const settings: Record<string, Json> = {
    ...(asked.enable_tools === false && { tools: false }),
    ...(asked.model === UNCHOSEN && !headers.has("x-llm-key") && { modelRequired: false }),
    ...(asked.use_toon_format && { toonFormat: true }),
    ...(asked.use_tool_rag_mode && { toolSearch: true }),
  };
  const request: RunRequest = {
    ...(agent !== undefined && { agent }),
    messages: [...(asked.messages ?? []).flatMap(messageOf), messageFrom("user", asked.user_message)],
    ...(asked.system_prompt && { system: asked.system_prompt }),
    ...(chosen.model !== undefined && { model: chosen.model }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(servers.length > 0 && { servers: servers.map(({ name, url }) => ({ name, url })) }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
  const extensions = headers.get("runcast-extensions") === "1";
  return { do: "start", request, ...(extensions && { extensions }) };
};

export const writeStart = ({ request, extensions }: Start): ReturnType<Dialect["write"]> => {
  const { agent, messages, system, model, settings = {}, servers = [] } = request;
  const last = messages.at(-1);
  if (last?.role !== "user")
    throw new Refusal("unsayable", "in the forge dialect, the last message in a request must be the user's", {
      hint: "use another dialect for this agent",
    });
  const named = servers.filter(({ enabled }) => enabled !== false).map(({ name, url }) => ({ name, url }));
  const body = {
    user_message: textOf(last),
    messages: messages.slice(0, -1).flatMap((message) => {
      const content = message.role === "tool" ? "" : textOf(message);
      return content === "" ? [] : [{ role: message.role, content }];
    }),
    ...(system !== undefined && { system_prompt: system }),
    ...(model !== undefined && { model }),
    ...(settings["tools"] === false && { enable_tools: false }),
    ...(settings["toonFormat"] === true && { use_toon_format: true }),
    ...(settings["toolSearch"] === true && { use_tool_rag_mode: true }),
    ...(named.length > 0 && { extra_mcp_servers: named }),
  };
  return {
    method: "POST",
    path: `/forge${agent === undefined ? "" : `/${encodeURIComponent(agent)}`}/chat/stream`,
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(extensions && { "runcast-extensions": "1" }),
      ...writeKeys(request),
    },
    body: JSON.stringify(body),
  };
};

export const parse = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> =>
  fastApi.parse(schema, body, "GET /openapi.json describes every request");

/** Skips the page's own roles for calls and results: models get those in their own format. */
const messageOf = ({ role, content }: { role: string; content?: string | null | undefined }): Message[] =>
  content && (role === "user" || role === "assistant" || role === "system") ? [messageFrom(role, content)] : [];

const messageFrom = (role: "user" | "assistant" | "system", text: string): Message => ({
  role,
  content: [{ type: "text", text }],
});

const textOf = ({ content }: Message): string => content.flatMap(partText).join("\n\n");

const partText = (part: Part): string[] => {
  if (part.type === "text") return [part.text];
  if (part.type !== "file") return [];
  if (part.url !== undefined && !part.url.startsWith("data:")) return [`[${part.name ?? part.mediaType}](${part.url})`];
  throw new Refusal("unsayable", "the forge dialect cannot send files", {
    hint: "send a link to it, or use another dialect for this agent",
  });
};
