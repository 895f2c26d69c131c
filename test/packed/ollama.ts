import { once } from "node:events";
import { createServer } from "node:http";
import { recordings } from "../recordings/providers.ts";
import { onStop } from "../serving.ts";

const USUAL_PORT = 11434;

/** Ollama's API with one model, on Ollama's usual port. Undefined if another server uses that port. */
export const startOllama = async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === "/v1/models") return void response.end(JSON.stringify({ data: [{ id: "llama3" }] }));
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" }).end(recordings["openai-chat"]!.answers.text);
  });
  try {
    server.listen(USUAL_PORT, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return undefined;
  }
  onStop(() => {
    server.close();
    server.closeAllConnections();
  });
  return { asked };
};
