// The AI SDK with resumable-stream on Redis, as the AI SDK's guide to resumable streams builds it: POST starts a run and stores the chat,
// GET <chat>/stream resumes it, GET <chat> loads the stored messages. Stop is what the guide leaves to the app: a request that aborts the run.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  convertToModelMessages,
  createUIMessageStream,
  generateId,
  JsonToSseTransformStream,
  readUIMessageStream,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
} from "ai";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createClient } from "redis";
import { createResumableStreamContext } from "resumable-stream";
import { z } from "zod";

const { TORTURE_URL, PORT, REDIS_URL } = process.env;
const redis = await createClient({ url: REDIS_URL! }).connect();
const streams = createResumableStreamContext({ waitUntil: null });
const model = createOpenAICompatible({ name: "kit", baseURL: `${TORTURE_URL}/v1` })("scripted");
const inputSchema = z.object({ key: z.string() });

const kit =
  (name: string) =>
  async ({ key }: { key: string }, { abortSignal }: { abortSignal?: AbortSignal }) => {
    const body = JSON.stringify({ key });
    const response = await fetch(`${TORTURE_URL}/tools/${name}`, { method: "POST", body, signal: abortSignal ?? null });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  };
/** As in the guide to sub-agents: the tool repeatedly yields the message so far. */
async function* delegate({ key }: { key: string }, { abortSignal }: { abortSignal?: AbortSignal }) {
  const result = streamText({ model, prompt: key, ...(abortSignal && { abortSignal }) });
  for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() })) yield message;
}
const tools = {
  lookup: tool({ description: "Looks it up.", inputSchema, execute: kit("lookup") }),
  fail: tool({ description: "Fails.", inputSchema, execute: kit("fail") }),
  send: tool({ description: "Sends it.", inputSchema, needsApproval: true, execute: kit("send") }),
  delegate: tool({ description: "Has a helper do it.", inputSchema, execute: delegate }),
};

interface Chat {
  readonly messages: UIMessage[];
  readonly stream: string | null;
}
const load = async (id: string): Promise<Chat | undefined> => {
  const text = await redis.get(`chat:${id}`);
  return text === null ? undefined : (JSON.parse(text) as Chat);
};
const save = (id: string, chat: Chat) => redis.set(`chat:${id}`, JSON.stringify(chat));
const stops = new Map<string, AbortController>();

const start = async (body: { id: string; messages: UIMessage[] }, response: ServerResponse) => {
  const { id, messages } = body;
  const streamId = generateId();
  const stop = new AbortController();
  stops.set(id, stop);
  const modelMessages = await convertToModelMessages(messages);
  await save(id, { messages, stream: streamId });
  const ui = createUIMessageStream({
    originalMessages: messages,
    generateId,
    onError: (error) => (error instanceof Error ? error.message : String(error)),
    execute: ({ writer }) => {
      const result = streamText({
        model,
        messages: modelMessages,
        tools,
        stopWhen: stepCountIs(10),
        abortSignal: stop.signal,
      });
      void result.consumeStream();
      writer.merge(result.toUIMessageStream({ sendStart: true, onError: (error) => String((error as Error).message) }));
    },
    onFinish: async ({ messages: all }) => void (await save(id, { messages: all, stream: null })),
  });
  const text = await streams.createNewResumableStream(streamId, () => ui.pipeThrough(new JsonToSseTransformStream()));
  await pipe(text, response);
};

const resume = async (id: string, response: ServerResponse) => {
  const chat = await load(id);
  if (!chat?.stream) return void response.writeHead(204).end();
  const text = await streams.resumeExistingStream(chat.stream);
  if (!text) return void response.writeHead(204).end();
  await pipe(text, response);
};

const pipe = async (text: ReadableStream<string> | null | undefined, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" });
  for await (const piece of text ?? []) {
    if (response.destroyed) continue;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
};
const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += piece;
  return body;
};

const bodySchema = z.object({
  id: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), parts: z.array(z.unknown()) })).min(1),
});

createServer(async (request, response) => {
  try {
    const [, , id, action] = new URL(request.url ?? "", "http://localhost").pathname.split("/");
    if (request.method === "POST" && action === "stop") {
      stops.get(id!)?.abort();
      return void response.writeHead(200).end();
    }
    if (request.method === "POST") {
      let body: unknown;
      try {
        body = bodySchema.parse(JSON.parse(await bodyOf(request)));
      } catch (error) {
        return void response.writeHead(400).end(String(error));
      }
      return await start(body as { id: string; messages: UIMessage[] }, response);
    }
    if (action === "stream") return await resume(id!, response);
    const chat = id ? await load(id) : undefined;
    if (!chat) return void response.writeHead(404).end("no such chat");
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(chat.messages));
  } catch (error) {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end(String(error));
  }
}).listen(Number(PORT), "127.0.0.1");
