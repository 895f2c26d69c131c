import { z } from "zod";
import {
  type Command,
  type Dialect,
  type DialectRequest,
  inputSchema,
  parseBody,
  readChat,
  readInput,
  readSecrets,
  writeChat,
  writeSecrets,
} from "../../dialect.ts";
import { answerSchema, type Json } from "../../events.ts";
import { Refusal, type RunRequest } from "../../source.ts";
import { ANSWER_KINDS, answerPath, readAnswer } from "./asks.ts";
import { readHistory } from "./history.ts";
import { housekeeping } from "./housekeeping.ts";
import { isStyle, pipeFacts, readStyle, STYLES } from "./style.ts";

type Start = Extract<Command, { do: "start" }>;

/** A request that Open WebUI forwards says whose it is, and of which chat. */
export const isForwarded = (headers: Headers): boolean => {
  for (const [name] of headers) if (name.startsWith("x-openwebui-")) return true;
  return headers.has("runcast-pipe");
};

export const readChatStart = (request: DialectRequest): Command => {
  const { request: asked, asked: body } = readChat(request.body);
  return readStart(asked, body.stream === true, request);
};

/** A connection of Open WebUI whose kind is Responses. */
export const responsesSchema = z.object({
  model: z.string().min(1).optional(),
  input: inputSchema,
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
});

export const readResponsesStart = (request: DialectRequest): Command => {
  const { model, input, instructions, stream } = parseBody(responsesSchema, request.body);
  const messages = readInput(input);
  if (messages.length === 0) throw new Refusal("bad-request", "the field input has nothing that can be read here");
  const asked = {
    messages,
    ...(model !== undefined && { agent: model }),
    ...(instructions && { system: instructions }),
  };
  return readStart(asked, stream === true, request);
};

const readStart = (asked: RunRequest, isStreamed: boolean, { headers }: DialectRequest): Command => {
  const answer = housekeeping(headers, asked.messages);
  if (answer !== undefined) return { do: "reply", reply: () => completion(asked.agent ?? "", answer) };
  // Tools that come with a request are Open WebUI's own. It runs what it is told to call, and then asks the agent again.
  const { agent, tools: _, user: __, ...rest } = asked;
  const [name, style] = agent === undefined ? [] : splitModel(agent);
  const thread = textIn(headers, "x-openwebui-chat-id");
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
    ...(headers.get("runcast-extensions") === "1" && { extensions: true }),
    ...(!isStreamed && { whole: "end" }),
  };
};

export const readAsk = ({ params, body }: DialectRequest): Command => {
  const { run = "", ask = "", kind = "" } = params;
  if (kind === "answer") return { do: "answer", run, ask, answer: parseBody(answerSchema, body) };
  if (!(ANSWER_KINDS as readonly string[]).includes(kind))
    throw new Refusal("bad-request", `an answer is no ${kind.slice(0, 40)}`, {
      hint: `it is one of ${ANSWER_KINDS.join(", ")}`,
    });
  const { result } = parseBody(z.object({ result: z.unknown() }), body);
  return { do: "answer", run, ask, answer: readAnswer(kind, result) };
};

export const write = (command: Command): ReturnType<Dialect["write"]> => {
  if (command.do === "start") return writeStart(command);
  if (command.do !== "answer") throw new Error(`Open WebUI cannot ask to ${command.do}`);
  const { run, ask, answer } = command;
  const headers = { "content-type": "application/json" };
  return { method: "POST", path: answerPath(run, ask, "answer"), headers, body: JSON.stringify(answer) };
};

const writeStart = ({ request, style, extensions, whole }: Start): ReturnType<Dialect["write"]> => {
  const { thread, user, secrets, metadata = {}, tools: _, ...rest } = request;
  const { openWebui, ...others } = metadata;
  const [name, ...facts] = (style ?? "").split(";").map((part) => part.trim());
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: whole ? "application/json" : "text/event-stream",
    ...(thread !== undefined && { "x-openwebui-chat-id": encodeURIComponent(thread) }),
    ...(user && { "x-openwebui-user-id": encodeURIComponent(user.id) }),
    ...(user?.name !== undefined && { "x-openwebui-user-name": encodeURIComponent(user.name) }),
    ...(user?.email !== undefined && { "x-openwebui-user-email": encodeURIComponent(user.email) }),
    ...writeAbout(openWebui),
    ...(name && { "runcast-style": name }),
    ...(facts.length > 0 && { "runcast-pipe": facts.join("; ") }),
    ...(extensions && { "runcast-extensions": "1" }),
    ...writeSecrets(secrets),
  };
  const body = {
    ...writeChat({ ...rest, ...(Object.keys(others).length > 0 && { metadata: others }) }),
    ...(!whole && { stream: true }),
  };
  return { method: "POST", path: "/open-webui/v1/chat/completions", headers, body: JSON.stringify(body) };
};

/** `agent:style`, as the name of a model. */
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
      hint: `there are: ${STYLES.join(", ")}`,
    });
  const { name } = readStyle(asked);
  return pipe ? `${name}; ${pipe.facts}` : name;
};

/** Names may have any characters, and come encoded. */
const textIn = (headers: Headers, name: string): string | undefined => {
  const text = headers.get(name)?.trim() ?? "";
  if (text === "" || text.includes("{{")) return undefined;
  try {
    return decodeURIComponent(text).slice(0, 256);
  } catch {
    return text.slice(0, 256);
  }
};

const readUser = (headers: Headers): RunRequest["user"] => {
  const id = textIn(headers, "x-openwebui-user-id");
  const email = textIn(headers, "x-openwebui-user-email");
  const name = textIn(headers, "x-openwebui-user-name");
  const known = id ?? email;
  return known === undefined
    ? undefined
    : { id: known, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
};

/** What else Open WebUI says of a request, by our names. */
const ABOUT = {
  message: "x-openwebui-message-id",
  userMessage: "x-openwebui-user-message-id",
  parent: "x-openwebui-user-message-parent-id",
  role: "x-openwebui-user-role",
} as const;

const readAbout = (headers: Headers): Record<string, Json> | undefined => {
  const known = Object.entries(ABOUT).map(([ours, theirs]) => [ours, textIn(headers, theirs)] as const);
  const said = known.filter(([, value]) => value !== undefined);
  return said.length > 0 ? (Object.fromEntries(said) as Record<string, Json>) : undefined;
};

const writeAbout = (about: Json | undefined): Record<string, string> => {
  if (typeof about !== "object" || about === null || Array.isArray(about)) return {};
  const said = Object.entries(ABOUT).flatMap(([ours, theirs]) => {
    const value = about[ours];
    return typeof value === "string" ? [[theirs, encodeURIComponent(value)] as const] : [];
  });
  return Object.fromEntries(said);
};

const completion = (model: string, content: string) => ({
  id: "chatcmpl-housekeeping",
  object: "chat.completion",
  created: 0,
  model,
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
});
