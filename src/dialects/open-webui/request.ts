import { z } from "zod";
import { type Command, cursorText, type Dialect, type DialectRequest, parseCursor } from "../../dialect.ts";
import { answerSchema, type Json } from "../../events.ts";
import { Refusal, type RunRequest, runRequestSchema } from "../../source.ts";
import { completion } from "./answer.ts";
import { ANSWER_KINDS, answerPath, readAnswer } from "./asks.ts";
import { readHistory } from "./history.ts";
import { housekeeping } from "./housekeeping.ts";
import { pipeFacts } from "./pipe.ts";
import { isStyle, readStyle, STYLES } from "./styles.ts";
import { readChat, writeChat } from "../openai/chat-request.ts";
import { inputSchema, readInput } from "../openai/response-input.ts";
import { parseBody } from "../requests/parse-body.ts";
import { readSecrets, runId, writeSecrets } from "../../wire.ts";

type Start = Extract<Command, { do: "start" }>;

/** Requests that Open WebUI forwards have headers with their user and chat. */
export const isForwarded = (headers: Headers): boolean => {
  for (const [name] of headers) if (name.startsWith("x-openwebui-")) return true;
  return headers.has("runcast-pipe");
};

/** Fields that the pipe, and another Runcast server, add to OpenAI's. */
const besideSchema = z.looseObject({
  runcast: runRequestSchema.pick({ run: true, settings: true, files: true }).optional(),
});

export const readChatStart = (request: DialectRequest): Command => {
  const { request: asked, asked: body } = readChat(request.body);
  const { run, settings, files } = parseBody(besideSchema, request.body).runcast ?? {};
  const all = { ...asked.settings, ...settings };
  const more = {
    ...(run !== undefined && { run }),
    ...(Object.keys(all).length > 0 && { settings: all }),
    ...(files && files.length > 0 && { files }),
  };
  return readStart({ ...asked, ...more }, body.stream === true, request);
};

/** The body from an Open WebUI connection of type Responses. */
export const responsesSchema = z.object({
  model: z.string().min(1).optional(),
  input: inputSchema,
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
});

export const readResponsesStart = (request: DialectRequest): Command => {
  const { model, input, instructions, stream } = parseBody(responsesSchema, request.body);
  const messages = readInput(input);
  if (messages.length === 0) throw new Refusal("bad-request", "the field input has no readable content");
  const asked = {
    messages,
    ...(model !== undefined && { agent: model }),
    ...(instructions && { system: instructions }),
  };
  return readStart(asked, stream === true, request);
};

const readStart = (asked: RunRequest, isStreamed: boolean, { headers }: DialectRequest): Command => {
  const thread = textIn(headers, "x-openwebui-chat-id");
  const answer = housekeeping(headers, asked.messages, thread);
  if (answer)
    return {
      do: "reply",
      reply: async (facts) => completion({ id: "housekeeping", model: asked.agent ?? "" }, await answer(facts)),
    };
  const last = asked.messages.at(-1)?.role;
  if (isForwarded(headers) && last === "tool") throw ranCalls(isStreamed);
  if (isForwarded(headers) && last === "assistant") throw begunAnswer(isStreamed);
  // Drops the request's tools, which are Open WebUI's own: it would run calls to them and then query the agent again.
  const { agent, tools: _, user: __, ...rest } = asked;
  const [name, style] = agent === undefined ? [] : splitModel(agent);
  const user = readUser(headers) ?? asked.user;
  const about = readAbout(headers);
  const secrets = readSecrets(headers);
  const request: RunRequest = {
    ...rest,
    messages: readHistory(asked.messages),
    ...(name !== undefined && { agent: name }),
    ...(thread !== undefined && { thread }),
    ...(user && { user }),
    ...(about && { metadata: { ...asked.metadata, openWebui: about } }),
    ...(secrets && { secrets }),
  };
  return {
    do: "start",
    request,
    style: styleOf(headers, style),
    ...readExtensions(headers),
    ...(headers.get("runcast-disconnect") === "continue" && { disconnect: "continue" }),
    ...(!isStreamed && { whole: "end" }),
  };
};

/**
 * Open WebUI ran one of the agent's calls itself and queries again. It does so after a stream that ended with open
 * calls, which means that the stream was cut. A new run would repeat everything.
 */
const ranCalls = (isStreamed: boolean): Refusal =>
  new Refusal("cut-off", "The connection to the agent broke while it was working, so this answer is incomplete.", {
    status: 409,
    hint: "send the message again to start over",
    inStream: isStreamed,
  });

/**
 * The same request from versions up to 0.11.0, which remove open calls and their results. A user who asks to continue a
 * response may send it, too, but a run cannot continue in the middle of a message.
 */
const begunAnswer = (isStreamed: boolean): Refusal =>
  new Refusal("begun-answer", "This answer is incomplete, and an answer that has begun cannot be continued.", {
    status: 409,
    hint: "send the message again to start over, or ask for the rest in a new message",
    inStream: isStreamed,
  });

/** For the pipe after a lost connection: the frames that it has not received yet, in the same style. */
export const readFollow = ({ params, query, headers }: DialectRequest): Command => {
  const after = parseCursor(headers.get("last-event-id") || query.get("after") || "0");
  if (!after)
    throw new Refusal("bad-cursor", "the cursor is not the id of a frame", { hint: "0 is the start of the run" });
  return {
    do: "follow",
    run: params["run"] ?? "",
    after,
    style: styleOf(headers, undefined),
    ...readExtensions(headers),
  };
};

export const readCancel = ({ params }: DialectRequest): Command => ({ do: "cancel", run: params["run"] ?? "" });

export const readAsk = ({ params, body }: DialectRequest): Command => {
  const { run = "", ask = "", kind = "" } = params;
  if (kind === "answer") return { do: "answer", run, ask, answer: parseBody(answerSchema, body) };
  if (!(ANSWER_KINDS as readonly string[]).includes(kind))
    throw new Refusal("bad-request", `there is no kind of answer ${kind.slice(0, 40)}`, {
      hint: `use one of ${ANSWER_KINDS.join(", ")}`,
    });
  const { result } = parseBody(z.object({ result: z.unknown() }), body);
  return { do: "answer", run, ask, answer: readAnswer(kind, result) };
};

export const write = (command: Command): ReturnType<Dialect["write"]> => {
  if (command.do === "start") return writeStart(command);
  if (command.do === "reply") throw new Error("Open WebUI does not request plain replies");
  const json = { "content-type": "application/json" };
  if (command.do === "answer") {
    const { run, ask, answer } = command;
    return { method: "POST", path: answerPath(runId(run), ask, "answer"), headers: json, body: JSON.stringify(answer) };
  }
  const run = `/open-webui/v1/runs/${encodeURIComponent(runId(command.run))}`;
  if (command.do === "cancel") return { method: "POST", path: `${run}/cancel`, headers: json, body: "{}" };
  const headers = { accept: "text/event-stream", ...writeStyle(command.style), ...writeExtensions(command.extensions) };
  return { method: "GET", path: `${run}/events?after=${cursorText(command.after)}`, headers };
};

const writeStart = ({ request, style, extensions, disconnect, whole }: Start): ReturnType<Dialect["write"]> => {
  const { run, thread, user, secrets, metadata = {}, settings, files, tools: _, ...rest } = request;
  const { openWebui, ...others } = metadata;
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: whole ? "application/json" : "text/event-stream",
    ...(thread !== undefined && { "x-openwebui-chat-id": encodeURIComponent(thread) }),
    ...(user && { "x-openwebui-user-id": encodeURIComponent(user.id) }),
    ...(user?.name !== undefined && { "x-openwebui-user-name": encodeURIComponent(user.name) }),
    ...(user?.email !== undefined && { "x-openwebui-user-email": encodeURIComponent(user.email) }),
    ...writeAbout(openWebui),
    ...writeStyle(style),
    ...writeExtensions(extensions),
    ...(disconnect === "continue" && { "runcast-disconnect": disconnect }),
    ...writeSecrets(secrets),
  };
  const extras = { ...(run !== undefined && { run }), ...(settings && { settings }), ...(files && { files }) };
  const body = {
    ...writeChat({ ...rest, ...(Object.keys(others).length > 0 && { metadata: others }) }),
    ...(!whole && { stream: true }),
    ...(Object.keys(extras).length > 0 && { runcast: extras }),
  };
  return { method: "POST", path: "/open-webui/v1/chat/completions", headers, body: JSON.stringify(body) };
};

const readExtensions = (headers: Headers) =>
  headers.get("runcast-extensions") === "1" ? { extensions: true as const } : {};

const writeExtensions = (extensions: boolean | undefined): Record<string, string> =>
  extensions ? { "runcast-extensions": "1" } : {};

const writeStyle = (style: string | undefined): Record<string, string> => {
  const [name, ...facts] = (style ?? "").split(";").map((part) => part.trim());
  return { ...(name && { "runcast-style": name }), ...(facts.length > 0 && { "runcast-pipe": facts.join("; ") }) };
};

/** Splits a model name such as `agent:style`. */
const splitModel = (model: string): [string, string | undefined] => {
  const at = model.lastIndexOf(":");
  const style = model.slice(at + 1);
  return at > 0 && isStyle(style) ? [model.slice(0, at), style] : [model, undefined];
};

const styleOf = (headers: Headers, suffix: string | undefined): string => {
  const header = headers.get("runcast-pipe");
  const pipe = header === null ? undefined : pipeFacts(header);
  const asked = suffix ?? headers.get("runcast-style")?.trim() ?? pipe?.style;
  if (asked !== undefined && asked !== "" && !isStyle(asked))
    throw new Refusal("unknown-style", `there is no style ${asked.slice(0, 40)}`, {
      hint: `use one of ${STYLES.join(", ")}`,
    });
  const { name } = readStyle(asked);
  return pipe ? `${name}; ${pipe.facts}` : name;
};

/** Values may contain any characters and are percent-encoded. */
const textIn = (headers: Headers, name: string): string | undefined => {
  const text = headers.get(name)?.trim() ?? "";
  if (text === "" || text.includes("{{")) return undefined;
  try {
    return decodeURIComponent(text).slice(0, 256);
  } catch {
    return text.slice(0, 256);
  }
};

export const readUser = (headers: Headers): RunRequest["user"] => {
  const id = textIn(headers, "x-openwebui-user-id");
  const email = textIn(headers, "x-openwebui-user-email");
  const name = textIn(headers, "x-openwebui-user-name");
  const known = id ?? email;
  return known === undefined
    ? undefined
    : { id: known, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
};

/** Other headers that Open WebUI sends, by our names. */
const ABOUT = {
  message: "x-openwebui-message-id",
  userMessage: "x-openwebui-user-message-id",
  parent: "x-openwebui-user-message-parent-id",
  role: "x-openwebui-user-role",
} as const;

const readAbout = (headers: Headers): Record<string, Json> | undefined => {
  const known = Object.entries(ABOUT).map(([ours, theirs]) => [ours, textIn(headers, theirs)] as const);
  const given = known.filter(([, value]) => value !== undefined);
  return given.length > 0 ? (Object.fromEntries(given) as Record<string, Json>) : undefined;
};

const writeAbout = (about: Json | undefined): Record<string, string> => {
  if (typeof about !== "object" || about === null || Array.isArray(about)) return {};
  const given = Object.entries(ABOUT).flatMap(([ours, theirs]) => {
    const value = about[ours];
    return typeof value === "string" ? [[theirs, encodeURIComponent(value)] as const] : [];
  });
  return Object.fromEntries(given);
};
