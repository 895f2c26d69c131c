import { createServer } from "node:http";
import { createResumableStreamContext } from "resumable-stream";
import { listen } from "../listen.ts";
import { sseHeaders } from "../server.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

/** Like `resumable-stream`, but the viewer is a follower that gets everything through Redis, as on any process. */
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
                stage.script(nativeRun),
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
