import { z } from "zod";
import {
  type Command,
  cursorText,
  type Dialect,
  type DialectRequest,
  parseCursor,
  readSecrets,
  writeSecrets,
} from "../dialect.ts";
import { answerSchema, EVENT_TYPES, type EventType } from "../events.ts";
import { PROTOCOL } from "../protocol.ts";
import { Refusal, type RunRequest, runRequestSchema } from "../source.ts";
import { createEncoder, createTextEncoder, decodeFrame } from "./native/frames.ts";
import { runId } from "./requests/run-id.ts";

const HEARTBEAT_MS = 15_000;

const startSchema = runRequestSchema
  .omit({ messages: true })
  .extend({ messages: runRequestSchema.shape.messages.optional(), message: z.string().min(1).optional() });
const cancelSchema = z.object({
  agent: z.string().min(1).optional(),
  call: z.string().min(1).optional(),
  reason: z.string().max(1000).optional(),
});

/** Our own dialect: every event is said as it is. A frame is `id: <seq>`, `event: <type>`, `data: {…the event, at}`. */
export const native: Dialect = {
  name: "native",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes: [
    {
      method: "POST",
      path: "/runs",
      does: "start",
      summary: "Start a run and stream it. `Accept: application/json` answers with its id at once.",
      body: () => z.toJSONSchema(startSchema, { io: "input" }),
    },
    { method: "GET", path: "/runs/:run/events", does: "follow", summary: "Follow a run from a cursor." },
    {
      method: "POST",
      path: "/runs/:run/cancel",
      does: "cancel",
      summary: "Cancel a run, or one sub-agent or call of it.",
      body: () => z.toJSONSchema(cancelSchema, { io: "input" }),
    },
    {
      method: "POST",
      path: "/runs/:run/asks/:ask",
      does: "answer",
      summary: "Answer what the run asks.",
      body: () => z.toJSONSchema(answerSchema, { io: "input" }),
    },
  ],
  read: ({ does }, request) => {
    checkProtocol(request);
    if (does === "start") return readStart(request);
    if (does === "follow") return readFollow(request);
    const run = request.params["run"] ?? "";
    if (does === "cancel") return { do: "cancel", run, ...parse(cancelSchema, request.body ?? {}) };
    return { do: "answer", run, ask: request.params["ask"] ?? "", answer: parse(answerSchema, request.body) };
  },
  write,
  encode: createEncoder,
  encodeText: createTextEncoder,
  stateless: true,
  snapshot: (seq, state) => [{ id: `${seq}`, event: "snapshot", data: JSON.stringify({ seq, state }) }],
  decode: () => decodeFrame,
  heartbeat: {
    everyMs: HEARTBEAT_MS,
    frames: ({ waiting, since }) => [{ event: "heartbeat", data: JSON.stringify({ waiting, since }) }],
  },
  refuse: ({ status, ...error }) => ({ status, body: JSON.stringify({ error }) }),
  disconnect: "continue",
  asks: "inline",
  says: Object.fromEntries(EVENT_TYPES.map((type) => [type, "says"])) as Record<EventType, "says">,
};

// ── Requests ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A client may say which version it reads. One that does not is taken to read this one, or to skip what it does not know. */
const checkProtocol = ({ headers, query }: DialectRequest): void => {
  const declared = headers.get("runcast-protocol") ?? query.get("protocol");
  if (declared === null || Number(declared) >= PROTOCOL) return;
  throw new Refusal(
    "protocol",
    `this server uses protocol ${PROTOCOL}, and the client reads up to ${declared.slice(0, 10)}`,
    { status: 406, hint: "update the client" },
  );
};

const readStart = ({ body, headers, query }: DialectRequest): Command => {
  if (isObject(body) && "secrets" in body)
    throw new Refusal("secrets-in-body", "secrets never come in a body, where they could be stored or logged", {
      hint: "send each as a header of its own: Runcast-Secret-<Name>: <value>",
    });
  const { message, messages, ...rest } = parse(startSchema, body);
  if ((message === undefined) === (messages === undefined))
    throw new Refusal("bad-request", "a request has either `message` (a string) or `messages`, and not both", {
      hint: 'the shortest request is {"message": "hello"}',
    });
  const secrets = readSecrets(headers);
  const request: RunRequest = {
    ...rest,
    messages: messages ?? [{ role: "user", content: [{ type: "text", text: message ?? "" }] }],
    ...(secrets && { secrets }),
  };
  const accept = headers.get("accept") ?? "";
  const detached = accept.includes("application/json") && !accept.includes("text/event-stream");
  return { do: "start", request, ...(detached && { detached }), ...readOptions(headers, query) };
};

const readFollow = ({ params, query, headers }: DialectRequest): Command => {
  const text = headers.get("last-event-id") || query.get("after") || "0";
  const after = parseCursor(text);
  if (!after)
    throw new Refusal("bad-cursor", `"${text.slice(0, 40)}" is not a cursor`, {
      hint: "a cursor is the id of the last frame that arrived, such as 17; 0 is the start of the run",
    });
  const from = query.get("from");
  if (from !== null && from !== "snapshot")
    throw new Refusal("bad-request", `from=${from.slice(0, 40)} is not known`, { hint: "only from=snapshot is" });
  return {
    do: "follow",
    run: params["run"] ?? "",
    after,
    ...(from && { from: "snapshot" as const }),
    ...readOptions(headers, query),
  };
};

const readOptions = (headers: Headers, query: URLSearchParams) => {
  const style = query.get("style");
  const extensions = (headers.get("runcast-extensions") ?? query.get("extensions")) === "1";
  return { ...(style && { style }), ...(extensions && { extensions }) };
};

const parse = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> => {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = (issue?.path ?? []).map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  throw new Refusal(
    "bad-request",
    `${field ? `the field ${field.replace(/^\./, "")}` : "the body"} is wrong: ${issue?.message ?? "unknown"}`,
    { hint: "GET /openapi.json describes every request" },
  );
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function write(command: Command): ReturnType<Dialect["write"]> {
  if (command.do === "reply") throw new Error("the native dialect has no plain replies");
  const headers: Record<string, string> = {};
  if (command.do === "start") {
    const { secrets, ...body } = command.request;
    Object.assign(headers, writeSecrets(secrets));
    if (command.extensions) headers["runcast-extensions"] = "1";
    headers["content-type"] = "application/json";
    headers["accept"] = command.detached ? "application/json" : "text/event-stream";
    headers["runcast-protocol"] = `${PROTOCOL}`;
    const path = `/runs${search({ style: command.style })}`;
    return { method: "POST", path, headers, body: JSON.stringify(body) };
  }
  const run = `/runs/${encodeURIComponent(runId(command.run))}`;
  if (command.do === "follow") {
    if (command.extensions) headers["runcast-extensions"] = "1";
    headers["accept"] = "text/event-stream";
    headers["runcast-protocol"] = `${PROTOCOL}`;
    const path = search({ after: cursorText(command.after), from: command.from, style: command.style });
    return { method: "GET", path: `${run}/events${path}`, headers };
  }
  headers["content-type"] = "application/json";
  if (command.do === "answer") {
    const path = `${run}/asks/${encodeURIComponent(command.ask)}`;
    return { method: "POST", path, headers, body: JSON.stringify(command.answer) };
  }
  const { agent, call, reason } = command;
  return { method: "POST", path: `${run}/cancel`, headers, body: JSON.stringify({ agent, call, reason }) };
}

const search = (values: Record<string, string | undefined>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  return query.size > 0 ? `?${query}` : "";
};
