import { extendedBut } from "./frames/coverage.ts";
import { z } from "zod";
import { cursorText, type Dialect, type Route } from "../dialect.ts";
import { createAnswer } from "./open-webui/answer.ts";
import { createDecoder } from "./open-webui/decode.ts";
import { createEncoder } from "./open-webui/encode.ts";
import {
  isForwarded,
  readAsk,
  readCancel,
  readChatStart,
  readFollow,
  readResponsesStart,
  readUser,
  responsesSchema,
  write,
} from "./open-webui/request.ts";
import { readStyle, STYLES } from "./open-webui/styles.ts";
import { wholeCharacters } from "./open-webui/whole-characters.ts";
import { jsonSlot } from "./frames/json-slot.ts";
import { lossless } from "./frames/lossless.ts";
import { chatSchema } from "./openai/chat-request.ts";
import { openaiError } from "./openai/errors.ts";

/** Open WebUI skips lines without choices, an event or a known type. */
const slot = jsonSlot('{"runcast_entry":');
const createWhole: Dialect["encode"] = (options) => wholeCharacters(createEncoder(options));
const codec = lossless({ encode: createWhole, decode: createDecoder }, slot);

/** Frames carry ids only for clients that can resume. Open WebUI cannot, so it gets only data. */
const createNumbered: Dialect["encode"] = (options) => {
  const encode = codec.encode(options);
  if (!options.extensions && !readStyle(options.style).pipe) return encode;
  let seq = 0;
  return (entry) => {
    const frames = encode(entry).map(({ data }, index, { length }) => {
      const id = index === length - 1 ? { seq: entry.seq, frame: 0 } : { seq, frame: index + 1 };
      return { id: cursorText(id), data };
    });
    seq = entry.seq;
    return frames;
  };
};

const BASE = "/open-webui/v1";
const CHAT = "/chat/completions";
const RESPONSES = "/responses";
const chatBody = () => z.toJSONSchema(chatSchema, { io: "input", unrepresentable: "any" });
const responsesBody = () => z.toJSONSchema(responsesSchema, { io: "input", unrepresentable: "any" });

const start = (path: string, when?: Route["when"]): Route => ({
  method: "POST",
  path,
  does: "start",
  summary: "An Open WebUI chat with an agent: its steps as native cards, live.",
  body: path.endsWith(CHAT) ? chatBody : responsesBody,
  ...(when && { when }),
});

const within = {
  loses: "a card shows that a call is requested, executing or ended, not its progress",
};
const status = { loses: "sent as the status line above the message" };
const steps = { loses: "a message is a flat list of items without steps" };

/** Open WebUI, over a plain connection or through the pipe. Every agent is a model. */
export const openWebui: Dialect = {
  name: "open-webui",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes: [
    start(BASE + CHAT),
    start(BASE + RESPONSES),
    start(`/v1${CHAT}`, isForwarded),
    start(`/v1${RESPONSES}`, isForwarded),
    {
      method: "GET",
      path: `${BASE}/models`,
      does: "reply",
      summary: "The agents, as models, and the available styles. With ?styles=1, each model in every style.",
    },
    {
      method: "POST",
      path: `${BASE}/runs/:run/asks/:ask/:kind`,
      does: "answer",
      summary: "The answer from a dialog that the pipe opened.",
    },
    { method: "GET", path: `${BASE}/runs/:run/events`, does: "follow", summary: "The rest of a run, for the pipe." },
    { method: "POST", path: `${BASE}/runs/:run/cancel`, does: "cancel", summary: "Stop a run, for the pipe." },
  ],
  read: (route, request) => {
    if (route.does === "answer") return readAsk(request);
    if (route.does === "follow") return readFollow(request);
    if (route.does === "cancel") return readCancel(request);
    if (route.does === "reply") return readModels(request.query.get("styles") === "1");
    return route.path.endsWith(RESPONSES) ? readResponsesStart(request) : readChatStart(request);
  },
  user: readUser,
  write,
  encode: createNumbered,
  decode: codec.decode,
  answer: createAnswer,
  // After a reload during a run, versions up to 0.11.0 show nothing until the next frame. This one makes them show all items.
  heartbeat: { everyMs: 5000, frames: () => [{ data: '{"type":"response.in_progress"}' }] },
  refuse: (problem) => ({ status: problem.status, body: JSON.stringify({ error: openaiError(problem) }) }),
  windowMs: 100,
  disconnect: "cancel",
  asks: "link",
  coverage: extendedBut({
    "run-start": status,
    "run-resume": status,
    "agent-start": status,
    "agent-end": status,
    "step-start": steps,
    "step-retry": status,
    "step-end": steps,
    "text-end": { loses: "a message ends when the run does" },
    "tool-input-delta": { loses: "a card gets its arguments when they are complete" },
    "tool-progress": status,
    "tool-output-delta": within,
  }),
};

const readModels = (withStyles: boolean): ReturnType<Dialect["read"]> => ({
  do: "reply",
  reply: ({ agents }) => ({
    object: "list",
    data: agents
      .flatMap(({ name }) => (withStyles ? [name, ...STYLES.slice(1).map((style) => `${name}:${style}`)] : [name]))
      .map((id) => ({ id, object: "model", created: CREATED, owned_by: "runcast" })),
    // For the pipe, whose valves offer these styles.
    styles: STYLES,
  }),
});

/** Clients expect a constant creation time of a model, which agents do not have. */
const CREATED = 1_767_225_600;
