import { z } from "zod";
import { type Command, type Dialect, type DialectRequest, type Frame, parseCursor } from "../dialect.ts";
import { answerSchema, type Event, EVENT_TYPES, type EventType } from "../events.ts";
import { PROTOCOL } from "../protocol.ts";
import { Refusal, type RunRequest, runRequestSchema } from "../source.ts";
import {
  createEncoder,
  createEntryReader,
  createTextEncoder,
  heartbeatFrame,
  readSecrets,
  snapshotFrame,
  writeCommand,
} from "../wire.ts";
import { parseBody } from "./requests/parse-body.ts";

const HEARTBEAT_MS = 15_000;
const HINT = "GET /openapi.json describes every request";

const startSchema = runRequestSchema
  .omit({ messages: true })
  .extend({ messages: runRequestSchema.shape.messages.optional(), message: z.string().min(1).optional() });
const cancelSchema = z.object({
  agent: z.string().min(1).optional(),
  call: z.string().min(1).optional(),
  reason: z.string().max(1000).optional(),
});

const givenSchema = answerSchema.extend({
  revoke: z.literal(true).optional().describe("revokes an answer with `always`; excludes the other fields"),
});

/** The native dialect: each event is sent unchanged. A frame is `id: <seq>`, `event: <type>`, `data: {…the event, at}`. */
export const native: Dialect = {
  name: "native",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes: [
    {
      method: "POST",
      path: "/runs",
      does: "start",
      summary: "Start a run and stream it. `Accept: application/json` returns its id immediately.",
      body: () => z.toJSONSchema(startSchema, { io: "input" }),
    },
    { method: "GET", path: "/runs/:run/events", does: "follow", summary: "Follow a run from a cursor." },
    {
      method: "POST",
      path: "/runs/:run/cancel",
      does: "cancel",
      summary: "Cancel a run, or one of its sub-agents or calls.",
      body: () => z.toJSONSchema(cancelSchema, { io: "input" }),
    },
    {
      method: "POST",
      path: "/runs/:run/asks/:ask",
      does: "answer",
      summary: "Answer one of the run's questions, or revoke what an answer allows for the rest of the run.",
      body: () => z.toJSONSchema(givenSchema, { io: "input" }),
    },
  ],
  read: ({ does }, request) => {
    checkProtocol(request);
    if (does === "start") return readStart(request);
    if (does === "follow") return readFollow(request);
    const run = request.params["run"] ?? "";
    if (does === "cancel") return { do: "cancel", run, ...parseBody(cancelSchema, request.body ?? {}, HINT) };
    return { do: "answer", run, ask: request.params["ask"] ?? "", answer: parseBody(givenSchema, request.body, HINT) };
  },
  write: writeCommand,
  encode: createEncoder,
  encodeText: createTextEncoder,
  stateless: true,
  snapshot: (seq, state) => [snapshotFrame(seq, state)],
  decode: createDecoder,
  heartbeat: {
    everyMs: HEARTBEAT_MS,
    frames: (waiting) => [heartbeatFrame(waiting)],
  },
  refuse: ({ status, ...error }) => ({ status, body: JSON.stringify({ error }) }),
  disconnect: "continue",
  asks: "inline",
  coverage: Object.fromEntries(EVENT_TYPES.map((type) => [type, "full"])) as Record<EventType, "full">,
};

/**
 * Skips frames that are not events (heartbeats, snapshots). Throws for a frame that should be an event but is not.
 * Agents in other languages may omit the frame's name, because the data contains the type.
 */
function createDecoder(): (frame: Frame) => readonly Event[] {
  const entryOf = createEntryReader();
  return ({ event, data }) => {
    if (event !== undefined && !types.has(event)) return [];
    const read = attempt(() => entryOf("0", data).event);
    if (!read || !types.has(read.type) || (event !== undefined && read.type !== event))
      throw new Refusal(
        "bad-frame",
        `a frame ${event ? `named ${event} does not contain that event` : "contains no known event"}`,
      );
    return [read];
  };
}

const attempt = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const types: ReadonlySet<string> = new Set(EVENT_TYPES);

// ── Requests ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A client may declare the protocol version it reads. Without one, it is assumed to read this version or skip unknown events. */
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
    throw new Refusal("secrets-in-body", "secrets are not allowed in a body, where they could be stored or logged", {
      hint: "send each in its own header: Runcast-Secret-<Name>: <value>",
    });
  const { message, messages, ...rest } = parseBody(startSchema, body, HINT);
  if ((message === undefined) === (messages === undefined))
    throw new Refusal("bad-request", "a request has either `message` (a string) or `messages`, but not both", {
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
      hint: "a cursor is the id of the last frame received, such as 17; 0 is the start of the run",
    });
  const at = query.get("at");
  if (at !== null && !/^\d{1,15}$/.test(at))
    throw new Refusal("bad-cursor", `at=${at.slice(0, 40)} is not a time`, {
      hint: "use the time of the last entry received, in milliseconds since 1970, or omit it",
    });
  const from = query.get("from");
  if (from !== null && from !== "snapshot")
    throw new Refusal("bad-request", `from=${from.slice(0, 40)} is not supported`, {
      hint: "use from=snapshot, or omit it",
    });
  return {
    do: "follow",
    run: params["run"] ?? "",
    after,
    ...(at !== null && { at: Number(at) }),
    ...(from && { from: "snapshot" as const }),
    ...readOptions(headers, query),
  };
};

const readOptions = (headers: Headers, query: URLSearchParams) => {
  const style = query.get("style");
  const extensions = (headers.get("runcast-extensions") ?? query.get("extensions")) === "1";
  return { ...(style && { style }), ...(extensions && { extensions }) };
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
