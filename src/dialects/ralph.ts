import { extendedBut } from "./frames/coverage.ts";
import type { Command, Dialect, DialectRequest } from "../dialect.ts";
import type { RunRequest } from "../source.ts";
import { createRalphDecoder } from "./ralph/decode.ts";
import { createRalphEncoder, STRICT } from "./ralph/encode.ts";
import { bodyJsonSchema, parseBody, readMessages, writeMessages } from "./ralph/request.ts";
import { fastApi } from "./fast-api/refusals.ts";
import { jsonSlot } from "./frames/json-slot.ts";
import { lossless } from "./frames/lossless.ts";
import { asStatus, fastApiCoverage } from "./fast-api/coverage.ts";

const HEARTBEAT_MS = 15_000;

/** Clients of this family read `type`, skip unknown ones, and ignore the name of the SSE event. */
const slot = jsonSlot('{"type":"runcast","says":', "runcast");
const codec = lossless({ encode: createRalphEncoder, decode: createRalphDecoder }, slot);

const NO_PARTS = { loses: "the family's text has no parts; readers create their own" };

/** The dialect of the Ralph and YouLearn servers: every frame is `event: message` with a flat `{"type", …}`. */
export const ralph: Dialect = {
  name: "ralph",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes: [
    ...["/ralph", "/ralph/:agent"].map((base) => ({
      method: "POST" as const,
      path: `${base}/chat/stream`,
      does: "start" as const,
      refusesInStream: true as const,
      summary: "Start a run and stream it to a Ralph client.",
      body: bodyJsonSchema,
    })),
    ...["/ralph", "/ralph/:agent"].map((base) => ({
      method: "GET" as const,
      path: `${base}/health`,
      does: "reply" as const,
      summary: "Whether the server is running.",
    })),
  ],
  read: ({ does }, request) =>
    does === "reply" ? { do: "reply", reply: () => ({ status: "ok", service: "runcast" }) } : readStart(request),
  write,
  encode: codec.encode,
  decode: codec.decode,
  heartbeat: {
    everyMs: HEARTBEAT_MS,
    frames: ({ waiting, since }) => [
      { event: "heartbeat", data: JSON.stringify({ type: "heartbeat", waiting, since }) },
    ],
  },
  refuse: fastApi.refuse,
  disconnect: "cancel",
  asks: "link",
  coverage: extendedBut({
    ...fastApiCoverage,
    "agent-start": asStatus("the family has no sub-agents"),
    "agent-end": { loses: "the family has no sub-agents; the status goes back to what it was" },
    "text-start": NO_PARTS,
    "text-end": NO_PARTS,
    "thinking-start": NO_PARTS,
    "thinking-end": NO_PARTS,
    "tool-input-delta": { loses: "arguments arrive complete, with tool_call_start" },
    "ask-end": { loses: "its clients cannot answer; the status goes back to what it was" },
    citation: { loses: "the family has no sources" },
  }),
};

const readStart = ({ body, params, headers }: DialectRequest): Command => {
  const { user_id: user, chat_id: thread, messages } = parseBody(body);
  const { agent } = params;
  const request: RunRequest = {
    ...(thread && { thread }),
    ...(agent !== undefined && { agent }),
    messages: readMessages(messages),
    ...(user && { user: { id: user } }),
  };
  return {
    do: "start",
    request,
    ...(headers.get("runcast-style") === STRICT && { style: STRICT }),
    ...(headers.get("runcast-extensions") === "1" && { extensions: true }),
  };
};

function write(command: Command): ReturnType<Dialect["write"]> {
  if (command.do !== "start") throw new Error(`the ralph family cannot request ${command.do}`);
  const { agent, user, thread, system, messages } = command.request;
  const base = agent === undefined ? "/ralph" : `/ralph/${encodeURIComponent(agent)}`;
  const body = {
    user_id: user?.id ?? "",
    chat_id: thread ?? "",
    messages: writeMessages(messages, system),
  };
  return {
    method: "POST",
    path: `${base}/chat/stream`,
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(command.style === STRICT && { "runcast-style": STRICT }),
      ...(command.extensions && { "runcast-extensions": "1" }),
    },
    body: JSON.stringify(body),
  };
}
