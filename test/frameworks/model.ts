import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Format, type ModelRequest, formats } from "../acp/agents/formats.ts";
import { type Reply, stories } from "./stories.ts";

export interface ScriptedModel {
  readonly url: string;
  close(): Promise<void>;
}

const WORD = new RegExp(`\\b(${Object.keys(stories).join("|")})\\b`, "g");
const GAP_MS = 3;

/** A model provider that plays the stories in the APIs of OpenAI and Anthropic. */
export const startModel = async (port = 0): Promise<ScriptedModel> => {
  let count = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const path = (request.url ?? "").split("?")[0]!;
    const format = formats.find((one) => one.path.test(path));
    if (!format) return void response.writeHead(404).end("{}");
    await answer(format, format.read(JSON.parse(body), path), ++count, response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};

const answer = async (format: Format, request: ModelRequest, id: number, response: ServerResponse): Promise<void> => {
  const { thinking = "", text = "", calls = [], fails, gapMs = GAP_MS } = replyTo(request);
  if (fails !== undefined) {
    response.writeHead(fails, { "content-type": "application/json", "x-should-retry": "false" });
    return void response.end(JSON.stringify(format.failure("The scripted model refuses.")));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of format.write({ id, thinking, text, calls: calls as never })) {
    if (response.destroyed) return;
    const written = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${written}\n\n`);
    await sleep(gapMs);
  }
  response.end();
};

/** The reply at the current point of the story named by the last message that names one. */
const replyTo = ({ turns, tools }: ModelRequest): Reply => {
  const asked = turns.findLastIndex(({ role, text }) => role === "user" && text.match(WORD) !== null);
  const name = turns[asked]?.text.match(WORD)?.at(-1) ?? "HELLO";
  const after = turns.slice(asked + 1);
  const rounds = after.filter(({ role }, index) => role === "tool" && after[index - 1]?.role !== "tool").length;
  const results = after.filter(({ role }) => role === "tool").map(({ text }) => text);
  return stories[name]!({ rounds, results, tools });
};
