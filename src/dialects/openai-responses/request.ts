import { z } from "zod";
import type { Command, Dialect, DialectRequest } from "../../dialect.ts";
import type { Json } from "../../events.ts";
import { type ClientTool, Refusal, type RunRequest } from "../../source.ts";
import { runId } from "../../wire.ts";
import { requestFields } from "../openai/chat-request.ts";
import { inputSchema, readInput, writeInput } from "../openai/response-input.ts";
import { parseBody } from "../requests/parse-body.ts";

type Start = Extract<Command, { do: "start" }>;

export const RESPONSES = "/v1/responses";
const RESPONSE = "resp_";

const toolSchema = z.looseObject({
  type: z.string(),
  name: z.string().min(1).optional(),
  description: z.string().nullish(),
  parameters: z.json().optional(),
});

export const responsesSchema = z.object({
  ...requestFields,
  input: inputSchema,
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  background: z.boolean().nullish(),
  tools: z.array(toolSchema).nullish(),
  max_output_tokens: z.number().nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
});
type ResponsesRequest = z.infer<typeof responsesSchema>;

export const readStart = ({ body, headers }: DialectRequest): Command => {
  const asked = parseBody(responsesSchema, body);
  const messages = readInput(asked.input);
  if (messages.length === 0) throw new Refusal("bad-request", "the field input has no readable content");
  const tools = asked.tool_choice === "none" ? [] : (asked.tools ?? []).flatMap(readTool);
  const settings = readSettings(asked);
  const request: RunRequest = {
    messages,
    ...(asked.model !== undefined && { agent: asked.model }),
    ...(asked.instructions && { system: asked.instructions }),
    ...(tools.length > 0 && { tools }),
    ...(asked.user && { user: { id: asked.user } }),
    ...(asked.metadata && { metadata: asked.metadata }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
  return {
    do: "start",
    request,
    ...readExtensions(headers),
    ...(asked.previous_response_id && { continues: runOf(asked.previous_response_id) }),
    ...(asked.background && { disconnect: "continue" }),
    ...(!asked.stream && (asked.background ? { detached: true, whole: "now" } : { whole: "end" })),
  };
};

/** `starting_after` is the number of the last event that the client has, counted from 0. */
export const readFollow = ({ params, query, headers }: DialectRequest): Command => {
  const run = runOf(params["response"] ?? "");
  const after = { seq: 0, frame: 0 };
  if (query.get("stream") !== "true") return { do: "follow", run, after, ...readExtensions(headers), whole: "now" };
  const text = query.get("starting_after");
  const number = text === null ? -1 : Number(text);
  if (text === "" || !Number.isSafeInteger(number) || number < -1)
    throw new Refusal("bad-request", "starting_after is not the number of an event");
  return { do: "follow", run, after, ...readExtensions(headers), ...(number >= 0 && { skipFrames: number + 1 }) };
};

export const readCancel = ({ params }: DialectRequest): Command => ({
  do: "cancel",
  run: runOf(params["response"] ?? ""),
  whole: "now",
});

export const write = (command: Command): ReturnType<Dialect["write"]> => {
  if (command.do === "start") return writeStart(command);
  if (command.do === "reply" || command.do === "answer") throw new Error(`responses have no ${command.do}`);
  const path = `${RESPONSES}/${RESPONSE}${encodeURIComponent(runId(command.run))}`;
  if (command.do === "cancel") return { method: "POST", path: `${path}/cancel`, headers: {} };
  const { whole, skipFrames, extensions } = command;
  const headers = headersOf(whole !== undefined, extensions);
  if (whole) return { method: "GET", path, headers };
  const after = skipFrames ? `&starting_after=${skipFrames - 1}` : "";
  return { method: "GET", path: `${path}?stream=true${after}`, headers };
};

const writeStart = (command: Start): ReturnType<Dialect["write"]> => {
  const { request, extensions, whole, continues, disconnect } = command;
  const { agent, messages, system, tools = [], user, metadata, settings = {} } = request;
  const { temperature, topP, maxOutputTokens, reasoning } = settings;
  const body = {
    ...(agent !== undefined && { model: agent }),
    input: writeInput(messages),
    ...(system && { instructions: system }),
    ...(continues !== undefined && { previous_response_id: RESPONSE + runId(continues) }),
    ...(!whole && { stream: true }),
    ...(disconnect === "continue" && { background: true }),
    ...(tools.length > 0 && { tools: tools.map(writeTool) }),
    ...(user && { user: user.id }),
    ...(metadata && { metadata }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(reasoning !== undefined && { reasoning: { effort: reasoning } }),
  };
  const headers = { "content-type": "application/json", ...headersOf(whole !== undefined, extensions) };
  return { method: "POST", path: RESPONSES, headers, body: JSON.stringify(body) };
};

const headersOf = (isWhole: boolean, extensions: boolean | undefined): Record<string, string> => ({
  accept: isWhole ? "application/json" : "text/event-stream",
  ...(extensions && { "runcast-extensions": "1" }),
});

const readExtensions = (headers: Headers) =>
  headers.get("runcast-extensions") === "1" ? { extensions: true as const } : {};

const runOf = (response: string): string => {
  if (response.startsWith(RESPONSE) && response.length > RESPONSE.length) return response.slice(RESPONSE.length);
  throw new Refusal("unknown-response", `there is no response ${response.slice(0, 100)}`, { status: 404 });
};

/** Ignores tools of other kinds: they belong to the provider, and the agent has its own. */
const readTool = ({ type, name, description, parameters: schema }: z.infer<typeof toolSchema>): ClientTool[] =>
  type === "function" && name !== undefined
    ? [{ name, ...(description && { description }), ...(schema !== undefined && { schema }) }]
    : [];

const writeTool = ({ name, description, schema }: ClientTool): unknown => ({
  type: "function",
  name,
  ...(description && { description }),
  ...(schema !== undefined && { parameters: schema }),
});

const readSettings = ({ temperature, top_p: topP, max_output_tokens: most, reasoning }: ResponsesRequest) => {
  const settings: Record<string, Json> = {};
  if (temperature != null) settings["temperature"] = temperature;
  if (topP != null) settings["topP"] = topP;
  if (most != null) settings["maxOutputTokens"] = most;
  if (reasoning?.effort != null) settings["reasoning"] = reasoning.effort;
  return settings;
};
