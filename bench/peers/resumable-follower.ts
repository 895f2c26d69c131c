import { createServer } from "node:http";
import { createResumableStreamContext } from "resumable-stream";
import { listen } from "../listen.ts";
import { sseHeaders } from "../server.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

/** As `resumable-stream`, with the viewer as a follower, who gets everything through Redis: what any process can show. */
export const serve: Serve = async (stage) => {
  const context = createResumableStreamContext({ waitUntil: null });
  let streams = 0;
  const port = await listen(
    createServer(async (_request, response) => {
      const id = `${process.pid}-followed-${streams++}`;
      const produced = await context.createNewResumableStream(
        id,
        () =>
          new ReadableStream<string>({
            start: (controller) =>
              stage.push(
                stage.spell(nativeRun),
                (event) => controller.enqueue(`data: ${JSON.stringify(event)}\n\n`),
                () => controller.close(),
              ),
          }),
      );
      void drain(produced);
      response.writeHead(200, sseHeaders);
      for await (const chunk of (await context.resumeExistingStream(id)) ?? []) response.write(chunk);
      response.end();
    }),
  );
  return { port };
};

const drain = async (stream: ReadableStream<string> | null) => {
  for await (const _ of stream ?? []);
};
