import { z } from "zod";
import type { AskAnswer, Command, Dialect, DialectRequest, RunRef } from "../../dialect.ts";
import { answerSchema } from "../../events.ts";
import { Refusal, type RunRequest, runRequestSchema } from "../../source.ts";
import { queryText, readSecrets, writeExtensions, writeSecrets } from "../../wire.ts";
import { parseBody } from "../requests/parse-body.ts";
import { writeStyle } from "./style.ts";
import { readApprovals, readMessages, uiMessageSchema, writeMessages } from "./ui-messages.ts";

type Start = Extract<Command, { do: "start" }>;
type Follow = Extract<Command, { do: "follow" }>;
type Written = ReturnType<Dialect["write"]>;

export const BASE = "/ai-sdk";
/** Placeholder for the chat in the path of a request that names its run. */
const NO_CHAT = "-";

/** Fields that a chat request does not have. An app sets them with its transport's `body`. */
const extrasSchema = runRequestSchema
  .pick({
    system: true,
    model: true,
    mode: true,
    settings: true,
    tools: true,
    servers: true,
    user: true,
    metadata: true,
  })
  .extend({ answers: z.array(z.object({ ask: z.string().min(1), answer: answerSchema })).optional() });

export const chatSchema = z.object({
  id: z.string().min(1).max(256).describe("the chat"),
  messages: z.array(uiMessageSchema).min(1).optional(),
  message: uiMessageSchema.optional().describe("instead of `messages`: the last one, if the rest is known here"),
  trigger: z.string().optional(),
  messageId: z.string().nullish(),
  runcast: extrasSchema.optional(),
});

export const readStart = ({ params, query, headers, body }: DialectRequest): Command => {
  const { id: thread, messages, message, runcast } = parseBody(chatSchema, body);
  const { answers: given = [], ...extras } = runcast ?? {};
  const sent = messages ?? (message ? [message] : []);
  const approvals = readApprovals(sent).filter(({ ask }) => !given.some((other) => other.ask === ask));
  const answers: AskAnswer[] = [...given, ...approvals];
  const isContinued = sent.at(-1)?.role === "assistant";
  const secrets = readSecrets(headers);
  const request: RunRequest = {
    thread,
    ...agentOf(params),
    messages: readMessages(sent),
    ...(extras as Partial<RunRequest>),
    ...(secrets && { secrets }),
  };
  if (answers.length === 0 && request.messages.length === 0)
    throw new Refusal("bad-request", "the request has no readable message", {
      hint: "send `messages`, or the last one as `message`",
    });
  const cancels = query.get("disconnect") === "cancel";
  return {
    do: "start",
    request,
    style: writeStyle(query.get("sdk"), isContinued || answers.length > 0),
    ...readExtensions(headers),
    ...(cancels && { disconnect: "cancel" }),
    ...(answers.length > 0 && { answers }),
    ...(!messages && answers.length === 0 && { continues: { thread, ...agentOf(params) } }),
  };
};

/** A resuming client gets the chat's run from its start, as the SDK expects. Another Runcast server gets only what it lacks. */
export const readFollow = ({ params, query, headers }: DialectRequest): Command => {
  const run = query.get("run");
  const style = { style: writeStyle(query.get("sdk"), false), ...readExtensions(headers) };
  const after = { seq: 0, frame: 0 };
  if (run === null)
    return { do: "follow", run: { ...chatOf(params), open: true }, after, from: "run", ifNone: 204, ...style };
  const skip = Number(query.get("skip") ?? 0);
  if (!Number.isSafeInteger(skip) || skip < 0) throw new Refusal("bad-request", "skip must be a number of frames");
  return { do: "follow", run, after, ...style, ...(skip > 0 && { skipFrames: skip }) };
};

export const readSaved = ({ params }: DialectRequest): Command => ({
  do: "follow",
  run: chatOf(params),
  after: { seq: 0, frame: 0 },
  from: "run",
  ifNone: 204,
  whole: "now",
  withRequest: true,
  withAnswer: true,
});

const stopSchema = z.looseObject({
  call: z.string().min(1).optional(),
  agent: z.string().min(1).optional(),
  reason: z.string().max(1000).optional(),
});

export const readStop = ({ params, query, body }: DialectRequest): Command => {
  const { call, agent, reason } = parseBody(stopSchema, body ?? {});
  return {
    do: "cancel",
    run: query.get("run") ?? chatOf(params),
    ...(call !== undefined && { call }),
    ...(agent !== undefined && { agent }),
    ...(reason !== undefined && { reason }),
  };
};

const agentOf = ({ agent }: DialectRequest["params"]) => (agent === undefined ? {} : { agent });

const chatOf = (params: DialectRequest["params"]): Exclude<RunRef, string> => ({
  thread: params["chat"] ?? "",
  ...agentOf(params),
});

const readExtensions = (headers: Headers) =>
  headers.get("runcast-extensions") === "1" ? { extensions: true as const } : {};

// ── As a client ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const write = (command: Command): Written => {
  if (command.do === "start") return writeStart(command);
  if (command.do === "follow") return writeFollow(command);
  if (command.do !== "cancel") throw new Error(`ai-sdk clients cannot request ${command.do}`);
  const { call, agent, reason } = command;
  const { path, query } = place(command.run);
  return {
    method: "POST",
    path: `${path}/stop${queryText(query)}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ call, agent, reason }),
  };
};

const writeStart = ({ request, style, extensions, disconnect, answers }: Start): Written => {
  const { run, thread = run ?? "chat", agent, messages, secrets, ...extras } = request;
  const own = {
    ...extras,
    ...(answers && extensions && { answers: answers.map(({ ask, answer }) => ({ ask, answer })) }),
  };
  const body = {
    id: thread,
    messages: writeMessages(messages, answers),
    trigger: "submit-message",
    ...(Object.keys(own).length > 0 && { runcast: own }),
  };
  const query = { sdk: style?.replace("+", ""), disconnect: disconnect === "cancel" ? disconnect : undefined };
  return {
    method: "POST",
    path: `${BASE}${agent === undefined ? "" : `/${encodeURIComponent(agent)}`}${queryText(query)}`,
    headers: { "content-type": "application/json", ...writeExtensions(extensions), ...writeSecrets(secrets) },
    body: JSON.stringify(body),
  };
};

const writeFollow = ({ run, style, extensions, skipFrames }: Follow): Written => {
  const { path, query } = place(run);
  const skip = skipFrames ? String(skipFrames) : undefined;
  return {
    method: "GET",
    path: `${path}/stream${queryText({ ...query, sdk: style?.replace("+", ""), skip })}`,
    headers: writeExtensions(extensions),
  };
};

const place = (run: RunRef): { readonly path: string; readonly query: Record<string, string> } => {
  if (typeof run === "string") return { path: `${BASE}/${NO_CHAT}`, query: { run } };
  const agent = run.agent === undefined ? "" : `/${encodeURIComponent(run.agent)}`;
  return { path: `${BASE}${agent}/${encodeURIComponent(run.thread)}`, query: {} };
};
