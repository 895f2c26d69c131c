import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { startProvider } from "./provider.ts";

/** An event as the server sent it. */
export type Sent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface PydanticServer {
  readonly url: string;
  /** The events sent since the last call. */
  sent(): Sent[];
  /** The messages of the last complete run, as PydanticAI keeps them. Empty if the run did not complete. */
  stored(): Promise<any[]>;
  /** The number of responses that are still being sent. */
  readonly open: number;
  /** Cuts all connections after this many more bytes. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

/** A real PydanticAI server behind a proxy that records every byte it sends. */
export const servePydantic = async (python: string): Promise<PydanticServer> => {
  const provider = await startProvider();
  const child = spawn(python, [path.join(import.meta.dirname, "server.py")], {
    env: { ...process.env, MODEL_URL: provider.url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const upstream = `http://127.0.0.1:${Number(line.toString())}`;
  let text = "";
  let room = Infinity;
  let open = 0;

  const proxy = createServer(async (request, response) => {
    const stop = new AbortController();
    open++;
    response.on("close", () => {
      open--;
      stop.abort();
    });
    try {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      const headers = { "content-type": "application/json", accept: "text/event-stream" };
      const answer = await fetch(upstream + request.url, { method: "POST", headers, body, signal: stop.signal });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      for await (const bytes of answer.body ?? []) {
        text += Buffer.from(bytes).toString();
        room -= bytes.length;
        if (room <= 0) return void response.destroy();
        response.write(bytes);
      }
      response.end();
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/agent`,
    sent: () => {
      const whole = text.split("\n").slice(0, -1);
      const lines = whole.filter((one) => one.startsWith("data: "));
      text = "";
      return lines.map((one) => JSON.parse(one.slice("data: ".length)) as Sent);
    },
    stored: async () => (await (await fetch(`${upstream}/messages`)).json()) as any[],
    get open() {
      return open;
    },
    cutAfter: (bytes) => void (room = bytes),
    close: async () => {
      child.kill("SIGKILL");
      proxy.closeAllConnections();
      await Promise.all([provider.close(), new Promise((resolve) => proxy.close(resolve))]);
    },
  };
};
