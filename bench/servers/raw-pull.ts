import { createServer } from "node:http";
import { listen } from "../listen.ts";
import { sseHeaders } from "../server.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

/**
 * The floor for servers that read an agent as an async generator: each event goes directly to the socket, already
 * chunked. Nothing is checked, stored, or buffered. What our server costs beyond this is its log.
 */
export const serve: Serve = async (stage) => ({
  port: await listen(
    createServer(async (_request, response) => {
      response.writeHead(200, sseHeaders);
      response.flushHeaders();
      for await (const event of stage.pull(stage.script(nativeRun))) {
        const frame = `data: ${JSON.stringify(event)}\n\n`;
        response.socket?.write(`${Buffer.byteLength(frame).toString(16)}\r\n${frame}\r\n`);
      }
      response.end();
    }),
  ),
});
