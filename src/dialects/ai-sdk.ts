import { extendedBut } from "./frames/coverage.ts";
import { z } from "zod";
import type { Dialect, Loss, Route } from "../dialect.ts";
import { createDecoder } from "./ai-sdk/decode.ts";
import { createEncoder } from "./ai-sdk/encode.ts";
import { BASE, chatSchema, readFollow, readSaved, readStart, readStop, write } from "./ai-sdk/request.ts";
import { createSavedMessages } from "./ai-sdk/saved-messages.ts";
import { jsonSlot } from "./frames/json-slot.ts";
import { lossless } from "./frames/lossless.ts";

/** A transient data part, which clients do not store in a message. */
const slot = jsonSlot('{"type":"data-runcast","transient":true,"data":');
const codec = lossless({ encode: createEncoder, decode: createDecoder }, slot);

const routes: readonly Route[] = [BASE, `${BASE}/:agent`].flatMap((base) => [
  {
    method: "POST",
    path: base,
    does: "start",
    summary:
      "A chat request from the AI SDK's useChat: a new message, or answers to the last run's questions. `?sdk=5|6|7`.",
    body: () => z.toJSONSchema(chatSchema, { io: "input" }),
  } as const,
  {
    method: "GET",
    path: `${base}/:chat/stream`,
    does: "follow",
    summary: "A chat's open run, from its start; 204 if there is none.",
  } as const,
  {
    method: "GET",
    path: `${base}/:chat`,
    does: "follow",
    summary: "A chat's messages, for a page that opens it, without the answer of an open run; 204 if there are none.",
  } as const,
  { method: "POST", path: `${base}/:chat/stop`, does: "cancel", summary: "Stop a chat's run." } as const,
]);

/**
 * The AI SDK's UI message stream, for `useChat` of versions 5, 6 and 7. A chat is a thread. A run is one message of the
 * agent, in one stream per segment.
 */
export const aiSdk: Dialect = {
  name: "ai-sdk",
  contentType: "text/event-stream; charset=utf-8",
  headers: { "x-vercel-ai-ui-message-stream": "v1" },
  routes,
  read: ({ does, path }, request) => {
    if (does === "start") return readStart(request);
    if (does === "cancel") return readStop(request);
    return path.endsWith("/stream") ? readFollow(request) : readSaved(request);
  },
  write,
  ...codec,
  answer: createSavedMessages,
  heartbeat: { everyMs: 15_000, frames: () => [], comment: "keep-alive" },
  // Clients show the whole body as the error message.
  refuse: ({ status, ...error }) => ({ status, body: JSON.stringify({ error }) }),
  wholeBytes: 1024 * 1024,
  segments: true,
  disconnect: "continue",
  asks: "next-request",
  coverage: extendedBut({
    "run-resume": loses("the SDK does not know which process runs an agent; a status reports that the run continues"),
    "step-retry": loses("versions 5 and 6 cannot reset a step; a status reports it"),
  }),
};

/** A function declaration, because the object above uses it. */
function loses(reason: string): Loss {
  return { loses: reason };
}
