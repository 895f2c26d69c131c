import { type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Format, type ModelRequest, formats } from "./formats.ts";
import { type Reply, stories } from "./stories.ts";
import { toolUse } from "./tools.ts";

export interface Provider {
  readonly url: string;
  close(): Promise<void>;
}

const WORD = new RegExp(`\\b(${Object.keys(stories).join("|")})\\b`, "g");
const GAP_MS = 5;

/** A model provider that plays scripted stories in the APIs of four providers, for agents that work in `folder`. */
export const startProvider = async (folder: string): Promise<Provider> => {
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = (request.url ?? "").split("?")[0]!;
      const format = formats.find((one) => one.path.test(path));
      if (!format) return void beside(path, response);
      const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as unknown;
      void answer(format, format.read(body, path), ++count, folder, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => close(server) };
};

/** Other requests of agents: model lists and token counts. */
const beside = (path: string, response: ServerResponse): void => {
  response.setHeader("content-type", "application/json");
  if (/count_?tokens/i.test(path)) return void response.end(JSON.stringify({ input_tokens: 10, totalTokens: 10 }));
  if (/models/.test(path)) return void response.end(JSON.stringify({ data: [{ id: "scripted" }], models: [] }));
  response.statusCode = 404;
  response.end("{}");
};

const answer = async (
  format: Format,
  request: ModelRequest,
  id: number,
  folder: string,
  response: ServerResponse,
): Promise<void> => {
  const reply = replyTo(request);
  if (reply.fails !== undefined) {
    response.writeHead(reply.fails, { "content-type": "application/json", "x-should-retry": "false" });
    return void response.end(JSON.stringify(format.failure("The scripted model refuses.")));
  }
  // Auxiliary requests, such as for a title, offer no tools.
  const uses = request.tools.length > 0 ? (reply.uses ?? []) : [];
  const calls = uses.map((use) => toolUse(use, request.tools, folder));
  const frames = format.write({ id, thinking: reply.thinking ?? "", text: reply.text ?? "", calls });
  if (!request.isStream) {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify(frames.find(({ data }) => typeof data === "object")?.data));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of frames) {
    if (response.destroyed) return;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
    await sleep(GAP_MS);
  }
  response.end();
};

/** The reply for the current round of results, in the story named by the last message that names one. */
const replyTo = ({ turns }: ModelRequest): Reply => {
  const asked = turns.findLastIndex(({ role, text }) => role === "user" && text.match(WORD) !== null);
  const name = turns[asked]?.text.match(WORD)?.at(-1) ?? "HELLO";
  const after = turns.slice(asked + 1).map(({ role }) => role);
  const rounds = after.filter((role, index) => role === "tool" && after[index - 1] !== "tool").length;
  const story = stories[name]!;
  return story[Math.min(rounds, story.length - 1)]!;
};

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });
