// Builds the page of an example and serves it at /, with Runcast under /runcast.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { aiSdk } from "runcast/dialects/ai-sdk";
import { copilotkit } from "runcast/dialects/copilotkit";
import { native } from "runcast/dialects/native";
import { memory } from "runcast/logs/memory";
import { createServer } from "runcast/server";
import type { Source } from "runcast/source";

/** By the ending of a file's name. Everything else is the page itself. */
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
};

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

/** A page that was built, and can be served several times. */
export interface BuiltPage {
  serve(agent: Source, port?: number): Promise<Site>;
  remove(): void;
}

/** Builds the page in this folder of `examples`. */
export const buildPage = (example: string): BuiltPage => {
  const files = mkdtempSync(path.join(tmpdir(), `${example}-`));
  build(path.join(import.meta.dirname, example), files);
  return {
    serve: (agent, port = 0) => serve(files, agent, port),
    remove: () => rmSync(files, { recursive: true, force: true }),
  };
};

const serve = async (files: string, agent: Source, port: number): Promise<Site> => {
  const runcast = createServer({
    agents: { demo: agent },
    log: memory(),
    dialects: [native, aiSdk, copilotkit],
    basePath: "/runcast",
  });
  const server = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    if (pathname.startsWith("/runcast/")) return void runcast.listener(request, response);
    const asset = /^\/assets\/[\w.-]+$/.exec(pathname)?.[0];
    const type = asset && TYPES[path.extname(asset)];
    const file = path.join(files, type ? asset : "index.html");
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": type ?? "text/html; charset=utf-8" });
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await runcast.close();
    },
  };
};

const build = (source: string, directory: string): void => {
  const vite = path.join(import.meta.dirname, "../node_modules/vite/bin/vite.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vite, "build", source, "--outDir", directory, "--logLevel", "error"],
    { encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
  );
  if (status !== 0) throw new Error(`the page could not be built\n${stdout}${stderr}`);
};
