import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";

export interface FramesRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: { readonly messages: readonly { readonly role: string; readonly content: unknown }[] } & Record<
    string,
    unknown
  >;
}

/** The response to one request: values that become `data:` lines, in order, each when the generator yields it. */
export type Telling = (request: FramesRequest, signal: AbortSignal) => AsyncIterable<unknown>;

/** An OpenAI-compatible server that sends exactly what a test wants Open WebUI to receive. */
export const serveFrames = async (
  model: string,
  telling: Telling,
): Promise<{ readonly url: string; readonly requests: FramesRequest[]; close(): Promise<void> }> => {
  const requests: FramesRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      json(response, { object: "list", data: [{ id: model, object: "model", owned_by: "test" }] });
      return;
    }
    const heard: Buffer[] = [];
    for await (const bytes of request) heard.push(bytes as Buffer);
    const asked: FramesRequest = { headers: request.headers, body: JSON.parse(Buffer.concat(heard).toString()) };
    requests.push(asked);
    if (asked.body.stream !== true) {
      json(response, { choices: [{ index: 0, message: { role: "assistant", content: "{}" }, finish_reason: "stop" }] });
      return;
    }
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const value of telling(asked, gone.signal)) {
      if (gone.signal.aborted) return;
      response.write(`data: ${JSON.stringify(value)}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const json = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};
