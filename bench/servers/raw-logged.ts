import { createServer } from "node:http";
import { createEventQueue } from "../../src/event-queue.ts";
import { memory } from "../../src/logs/memory.ts";
import { createRunner } from "../../src/runner.ts";
import { listen } from "../listen.ts";
import { sseHeaders } from "../server.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

/**
 * The baseline, and in addition each event through the runner into a log in memory, which nobody reads. What this costs
 * beyond `raw` is the runner and the log. The rest of our server's cost is for viewers: follow, encode and send.
 */
export const serve: Serve = async (stage) => {
  const runner = createRunner({ log: memory() });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
  return {
    port: await listen(
      createServer((_request, response) => {
        response.writeHead(200, sseHeaders);
        const queue = createEventQueue(() => {
          stage.push(
            stage.script(nativeRun),
            (event) => {
              response.write(`data: ${JSON.stringify(event)}\n\n`);
              queue.push(event);
            },
            () => {
              response.end();
              queue.close();
            },
          );
        });
        void runner.start({ messages }, { name: "bench", source: () => queue });
      }),
    ),
  };
};
