import { createServer } from "node:http";
import { createResumableStreamContext } from "resumable-stream";
import { listen } from "../listen.ts";
import { sseHeaders } from "../server.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

/** Uses the Redis at REDIS_URL. There are no followers, which is its cheapest case. */
export const serve: Serve = async (stage) => {
  const context = createResumableStreamContext({ waitUntil: null });
  let streams = 0;
  const port = await listen(
    createServer(async (_request, response) => {
      const stream = await context.createNewResumableStream(
        `${process.pid}-${streams++}`,
        () =>
          new ReadableStream<string>({
            start: (controller) =>
              stage.push(
                stage.script(nativeRun),
                (event) => controller.enqueue(`data: ${JSON.stringify(event)}\n\n`),
                () => controller.close(),
              ),
          }),
      );
      response.writeHead(200, sseHeaders);
      for await (const chunk of stream ?? []) response.write(chunk);
      response.end();
    }),
  );
  return { port };
};
