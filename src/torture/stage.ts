import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "../message-of.ts";
import { formats } from "./stage/formats.ts";
import { playModel } from "./stage/play.ts";
import { Scene, type Script } from "./stage/scene.ts";

export { createGate, type Script, type Scene } from "./stage/scene.ts";

/**
 * A scripted model and its tools, for the server under test:
 * - `POST /v1/chat/completions` and `POST /v1/messages` are a model. The user's message names the scene that it plays.
 * - `POST /tools/<name>` with `{ "key": "…" }` runs the tool and returns its result as text. A status other than 200 means
 *   that the tool failed. This way, a trial decides when a tool ends and counts how often it ran.
 */
export interface Stage {
  readonly url: string;
  play(script: Script): Scene;
  close(): Promise<void>;
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Listens only on loopback, since it does not check requests. */
export const startStage = async ({ port = 0 }: { readonly port?: number } = {}): Promise<Stage> => {
  const scenes = new Map<string, Scene>();
  const find = (text: string): Scene | undefined => {
    const names = [...text.matchAll(/scene-[a-z0-9]+/g)].map(([name]) => name);
    return names.map((name) => scenes.get(name)).findLast((scene) => scene !== undefined);
  };

  const server = createServer((request, response) => {
    const fail = (error: unknown) => {
      if (response.headersSent) return void response.destroy();
      response.writeHead(500, { "content-type": "text/plain" }).end(messageOf(error));
    };
    bodyOf(request)
      .then((body) => route(request, body, response))
      .catch(fail);
  });
  const route = async (request: IncomingMessage, body: string, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "").replace(/\?.*$/, "");
    const format = formats.find((one) => one.path === path);
    if (format) return await playModel(format, JSON.parse(body), find, response);
    if (path === "/v1/models")
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
    const [, tool] = /^\/tools\/(\w+)$/.exec(path) ?? [];
    if (tool === undefined) return void response.writeHead(404).end(`there is nothing at ${path}`);
    const { key } = JSON.parse(body) as { key: string };
    const scene = find(key);
    if (!scene) return void response.writeHead(404).end(`no scene has the key ${key}`);
    const { status, text } = await scene.runTool(key);
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
  };

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play: (script) => {
      const scene = new Scene(script);
      scenes.set(scene.name, scene);
      return scene;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BYTES) throw new Error("the body is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
};
