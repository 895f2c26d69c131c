import { createServer } from "node:http";
import { listen } from "../listen.ts";
import { sseHeaders } from "../server.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

/** The baseline: `node:http`, one write per event, nothing stored, no IDs, no backpressure. */
export const serve: Serve = async (stage) => ({
  port: await listen(
    createServer((_request, response) => {
      response.writeHead(200, sseHeaders);
      stage.push(
        stage.script(nativeRun),
        (event) => response.write(`data: ${JSON.stringify(event)}\n\n`),
        () => response.end(),
      );
    }),
  ),
});
