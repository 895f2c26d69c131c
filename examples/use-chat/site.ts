// Builds the page and serves it at /, with Runcast under /runcast.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { aiSdk } from "runcast/dialects/ai-sdk";
import { native } from "runcast/dialects/native";
import { memory } from "runcast/logs/memory";
import { createServer } from "runcast/server";
import type { Source } from "runcast/source";

export const startSite = async (agent: Source, port = 0) => {
  const files = mkdtempSync(path.join(tmpdir(), "use-chat-"));
  build(files);
  const runcast = createServer({
    agents: { demo: agent },
    log: memory(),
    dialects: [native, aiSdk],
    basePath: "/runcast",
  });
  const server = createHttpServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    if (pathname.startsWith("/runcast/")) return void runcast.listener(request, response);
    const asset = /^\/assets\/[\w.-]+\.js$/.exec(pathname)?.[0];
    const type = asset ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` });
    response.end(readFileSync(path.join(files, asset ?? "index.html")));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await runcast.close();
      rmSync(files, { recursive: true, force: true });
    },
  };
};

const build = (directory: string): void => {
  const root = path.join(import.meta.dirname, "../..");
  const vite = path.join(root, "node_modules/vite/bin/vite.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vite, "build", import.meta.dirname, "--outDir", directory, "--logLevel", "warn"],
    { encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
  );
  if (status !== 0) throw new Error(`the page could not be built\n${stdout}${stderr}`);
};
