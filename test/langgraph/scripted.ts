import { onTestFinished } from "vitest";
import type { Source } from "../../src/source.ts";
import { type LangGraphServerOptions, langgraph } from "../../src/sources/langgraph.ts";
import { type Answering, hangs, startScriptedServer, streams } from "../scripted-server.ts";

const RUN = "11111111-1111-7111-8111-111111111111";

/** Events of the root graph in the format of version 2. */
export const written = (...events: readonly (readonly [method: string, data: object])[]): string =>
  events
    .map(([method, data], index) => {
      const event = { type: "event", event_id: `synth:${RUN}:${index}`, seq: index + 1, method };
      return `event: ${method}\r\ndata: ${JSON.stringify({ ...event, params: { namespace: [], data } })}\r\nid: ${index + 1}\r\n\r\n`;
    })
    .join("");

export const begun = [
  ["lifecycle", { event: "running" }],
  ["messages", { event: "message-start", role: "ai", id: "m1" }],
  ["messages", { event: "content-block-delta", index: 0, delta: { type: "text-delta", text: "Hello." } }],
] as const;
export const ended = [
  ["messages", { event: "message-finish" }],
  ["lifecycle", { event: "completed" }],
] as const;

const answers =
  (body: object): Answering =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

/**
 * An agent on a server that knows every thread, starts every run, and sends this response to every reader. `asked`
 * responds to requests for the run itself.
 */
export const scripted = async (
  reading: Answering,
  options: Partial<LangGraphServerOptions> = {},
  asked: Answering = answers({}),
): Promise<Source> => {
  const server = await startScriptedServer((response, request) => {
    if (request.url === "/threads") return answers({ thread_id: "t" })(response, request);
    const isCommand = request.url.endsWith("/commands");
    if (isCommand) return answers({ type: "success", id: 1, result: { run_id: RUN } })(response, request);
    if (request.url.endsWith(`/runs/${RUN}`)) return asked(response, request);
    return request.url.endsWith("/stream/events") ? reading(response, request) : answers({})(response, request);
  });
  onTestFinished(() => server.close());
  return langgraph({ url: server.url, assistant: "scripted", ...options });
};

export const answering = (): Promise<Source> => scripted(streams(written(...begun, ...ended)));

export const staying = (): Promise<Source> => scripted(hangs(written(...begun)));
