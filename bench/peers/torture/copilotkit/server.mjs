// CopilotKit's runtime, as its documentation sets it up, in front of the PydanticAI agent. COPILOTKIT_HOME has its packages.
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { COPILOTKIT_HOME, PORT, AGENT_URL } = process.env;
const require = createRequire(path.join(COPILOTKIT_HOME, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const runtimeModule = await load("@copilotkit/runtime/v2");
const clientModule = await load("@ag-ui/client");
const { CopilotRuntime, createCopilotRuntimeHandler } = runtimeModule.default ?? runtimeModule;
const { HttpAgent } = clientModule.default ?? clientModule;

const runtime = new CopilotRuntime({ agents: { default: new HttpAgent({ url: AGENT_URL }) } });
const handler = createCopilotRuntimeHandler({ runtime, basePath: "/copilotkit" });
http
  .createServer(async (request, response) => {
    const pieces = await Array.fromAsync(request);
    const stop = new AbortController();
    response.on("close", () => stop.abort());
    const answer = await handler(
      new Request(`http://127.0.0.1:${PORT}${request.url}`, {
        method: request.method,
        headers: request.headers,
        ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
        signal: stop.signal,
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) {
      if (response.destroyed) break;
      if (!response.write(piece))
        await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    }
    response.end();
  })
  .listen(Number(PORT), "127.0.0.1");
