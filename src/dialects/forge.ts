import { extendedBut } from "./frames/coverage.ts";
import { z } from "zod";
import type { Dialect, Loss, Route } from "../dialect.ts";
import { createDecoder } from "./forge/decoder.ts";
import { createEncoder } from "./forge/encoder.ts";
import { replies } from "./forge/replies.ts";
import { readStart, startSchema, writeStart } from "./forge/request.ts";
import { fastApi } from "./fast-api/refusals.ts";
import { lossless } from "./frames/lossless.ts";

const EXTENSION = "runcast";
const HEARTBEAT_MS = 30_000;
const BASES = ["/forge", "/forge/:agent"];

const codec = lossless(
  { encode: createEncoder, decode: createDecoder },
  {
    write: (data) => ({ event: EXTENSION, data }),
    read: ({ event, data }) => (event === EXTENSION ? data : undefined),
  },
);

const routes: readonly Route[] = BASES.flatMap((base) => [
  {
    method: "POST",
    path: `${base}/chat/stream`,
    does: "start",
    refusesInStream: true,
    summary: "Forge: ask, and stream the answer.",
    body: () => z.toJSONSchema(startSchema, { io: "input" }),
  } as const,
  ...replies.map(({ method, path, summary, body }) => ({
    method,
    path: base + path,
    does: "reply" as const,
    summary: `Forge: ${summary}`,
    ...(body && { body }),
  })),
]);

/** Forge's named, flat events: `token thinking tool_call tool_result complete error ping`. Its clients store no state here. */
export const forge: Dialect = {
  name: "forge",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes,
  read: (route, request) => {
    if (route.does === "start") return readStart(request);
    const plain = replies.find(
      ({ method, path }) => method === route.method && BASES.some((base) => base + path === route.path),
    );
    if (!plain) throw new Error(`the forge dialect has no route ${route.path}`);
    return { do: "reply", reply: (facts) => plain.reply(facts, request) };
  },
  write: (command) => {
    if (command.do === "start") return writeStart(command);
    throw new Error(`forge clients cannot request ${command.do}`);
  },
  ...codec,
  heartbeat: {
    everyMs: HEARTBEAT_MS,
    frames: () => [{ event: "ping", data: JSON.stringify({ timestamp: Math.floor(Date.now() / 1000) }) }],
  },
  refuse: fastApi.refuse,
  // Each token repeats the whole text, so sending fewer of them bounds the cost.
  windowMs: 50,
  wholeBytes: 16 * 1024 * 1024,
  disconnect: "cancel",
  asks: "link",
  coverage: extendedBut({
    "run-start": loses("a Forge stream has no start; its run is named by the header Runcast-Run"),
    "run-resume": loses("Forge does not know which process runs an agent"),
    "agent-start": loses("Forge has no sub-agents; their calls appear among the others"),
    "agent-end": loses("Forge has no sub-agents"),
    "step-start": loses("Forge has no steps"),
    "step-retry": loses("Forge's only error event ends the stream"),
    "step-end": loses("Forge has no steps; usage comes at the end"),
    "text-start": loses("Forge has one running text"),
    "text-end": loses("Forge has one running text"),
    "thinking-start": loses("Forge has one running thought"),
    "thinking-end": loses("Forge has one running thought"),
    "tool-input-delta": loses("Forge sends arguments when they are complete"),
    "tool-progress": loses("Forge has no progress"),
    "tool-output-delta": loses("Forge sends a result when the call ends"),
    status: loses("Forge has no status line"),
    citation: loses("Forge has no citations"),
    file: loses("Forge has no files"),
    embed: loses("Forge's stream names only the latest page of each call, in its result"),
    data: loses("Forge has no frame for other data"),
  }),
};

/** A function declaration, because the object above uses it. */
function loses(reason: string): Loss {
  return { loses: reason };
}
