import { extendedBut } from "./frames/coverage.ts";
import { z } from "zod";
import type { Command, Dialect, DialectRequest } from "../dialect.ts";
import type { Message } from "../events.ts";
import type { RunRequest } from "../source.ts";
import { createAnswer } from "./deep-agent/answer.ts";
import { createDeepAgentDecoder } from "./deep-agent/decode.ts";
import { createDeepAgentEncoder } from "./deep-agent/encode.ts";
import { fastApi } from "./fast-api/refusals.ts";
import { jsonSlot } from "./frames/json-slot.ts";
import { lossless } from "./frames/lossless.ts";
import { fastApiCoverage } from "./fast-api/coverage.ts";

const HEARTBEAT_MS = 15_000;
/** Clients of this family show a whole result on a click. Of larger results, they get only the beginning. */
const WHOLE_BYTES = 16 * 1024 * 1024;

const bodySchema = z.object({
  messages: z.array(z.object({ role: z.enum(["user", "assistant", "system"]), content: z.string() })).min(1),
  stream: z.boolean().optional(),
});
const HINT = 'a request is {"messages": [{"role": "user" | "assistant" | "system", "content": "…"}]}';
type ChatMessage = z.infer<typeof bodySchema>["messages"][number];

/** Clients of this family read only `data:` lines and skip unknown values of `type`. */
const slot = jsonSlot('{"type":"runcast","data":');
const codec = lossless({ encode: createDeepAgentEncoder, decode: createDeepAgentDecoder }, slot);

const NO_PARTS = { loses: "the family's tokens have no parts; readers create their own" };
const NO_THINKING = { loses: "the family has no reasoning" };
const NO_INPUT = { loses: "the family shows calls without their arguments" };

/** Deep Agent's dialect: `data: {"type", "data"}` without an event name. Sub-agents have a depth and an id. */
export const deepAgent: Dialect = {
  name: "deep-agent",
  contentType: "text/event-stream; charset=utf-8",
  headers: {},
  routes: ["/deep-agent", "/deep-agent/:agent"].flatMap((base) => [
    {
      method: "POST" as const,
      path: `${base}/chat/stream`,
      does: "start" as const,
      refusesInStream: true as const,
      summary: "Start a run and stream it to a Deep Agent client.",
      body: () => z.toJSONSchema(bodySchema, { io: "input" }),
    },
    {
      method: "POST" as const,
      path: `${base}/chat`,
      does: "start" as const,
      summary: "Start a run and respond with its last message when it has ended.",
      body: () => z.toJSONSchema(bodySchema, { io: "input" }),
    },
    {
      method: "GET" as const,
      path: `${base}/health`,
      does: "reply" as const,
      summary: "Whether the server is running.",
    },
  ]),
  read: ({ does, path }, request) =>
    does === "reply"
      ? { do: "reply", reply: () => ({ status: "ok", service: "runcast" }) }
      : readStart(request, path.endsWith("/chat")),
  write,
  encode: codec.encode,
  decode: codec.decode,
  answer: createAnswer,
  heartbeat: {
    everyMs: HEARTBEAT_MS,
    frames: ({ waiting, since }) => [{ data: JSON.stringify({ type: "heartbeat", data: { waiting, since } }) }],
  },
  refuse: fastApi.refuse,
  wholeBytes: WHOLE_BYTES,
  disconnect: "cancel",
  asks: "link",
  coverage: extendedBut({
    ...fastApiCoverage,
    "text-start": NO_PARTS,
    "text-end": NO_PARTS,
    "thinking-start": NO_THINKING,
    "thinking-delta": NO_THINKING,
    "thinking-end": NO_THINKING,
    "tool-input-delta": NO_INPUT,
    "tool-input-end": NO_INPUT,
    "ask-end": { loses: "its clients cannot answer" },
    citation: { loses: "the family's citations are its tools' results" },
  }),
};

const readStart = ({ body, params, headers }: DialectRequest, isWhole: boolean): Command => {
  const { messages } = fastApi.parse(bodySchema, body, HINT);
  const { agent } = params;
  const request: RunRequest = {
    ...(agent !== undefined && { agent }),
    messages: messages.map(({ role, content }) => ({
      role,
      content: content === "" ? [] : [{ type: "text", text: content }],
    })),
  };
  const extensions = headers.get("runcast-extensions") === "1";
  return { do: "start", request, ...(extensions && { extensions }), ...(isWhole && { whole: "end" as const }) };
};

function write(command: Command): ReturnType<Dialect["write"]> {
  if (command.do !== "start") throw new Error(`the deep-agent family cannot request ${command.do}`);
  const { agent, system, messages } = command.request;
  const stream = command.whole === undefined;
  const base = agent === undefined ? "/deep-agent" : `/deep-agent/${encodeURIComponent(agent)}`;
  const instructions: ChatMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  return {
    method: "POST",
    path: `${base}/chat${stream ? "/stream" : ""}`,
    headers: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      ...(command.extensions && { "runcast-extensions": "1" }),
    },
    body: JSON.stringify({ messages: [...instructions, ...messages.flatMap(writeMessage)], stream }),
  };
}

/** Omits what the family cannot express (files, calls, results, thinking), and messages that contain nothing else. */
const writeMessage = ({ role, content }: Message): ChatMessage[] => {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (role === "tool" || (texts.length === 0 && content.length > 0)) return [];
  return [{ role, content: texts.join("\n\n") }];
};
