// A separate site that shows runs: its server holds the key, and its page gets a share link to one run at a time.
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import path from "node:path";
import { createClient } from "runcast/client";

export interface SiteOptions {
  /** The URL of Runcast, and a key that allows starting runs. */
  readonly url: string;
  readonly key: string;
}

export const createSite = ({ url, key }: SiteOptions): Server => {
  const client = createClient({ url, key });

  /** Starts a run and returns what a page may know: its ID, and a token that allows reading it for an hour. */
  const ask = async (message: string): Promise<unknown> => {
    const handle = client.start({ message });
    await Promise.race([handle.entries().next(), handle.finished]);
    handle.close();
    const response = await fetch(`${url}/runs/${handle.run}/links`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ expiresInSeconds: 3600 }),
    });
    const { token } = (await response.json()) as { token: string };
    return { url, run: handle.run, token };
  };

  return createServer(async (request, response) => {
    try {
      if (request.method === "POST") {
        const asked = JSON.stringify(await ask(await textOf(request)));
        return response.writeHead(201, { "content-type": "application/json" }).end(asked);
      }
      const html = await readFile(path.join(import.meta.dirname, "page.html"), "utf8");
      return response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html.replaceAll("%URL%", url));
    } catch (error) {
      return response.writeHead(502, { "content-type": "text/plain" }).end(String(error));
    }
  });
};

const textOf = async (request: IncomingMessage): Promise<string> =>
  Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString("utf8");
