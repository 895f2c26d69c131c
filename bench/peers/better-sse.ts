import { createChannel, createSession } from "better-sse";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { listen } from "../listen.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

export const serve: Serve = async (stage) => {
  const channel = createChannel();
  const viewers = new Set<ServerResponse>();
  const share = () => {
    stage.push(
      { ...stage.script(nativeRun), opening: [] },
      (event) => channel.broadcast(event),
      () => {
        for (const viewer of viewers) viewer.end();
        viewers.clear();
      },
    );
  };
  const port = await listen(
    createServer(async (request, response) => {
      const session = await createSession(request, response);
      const run = stage.script(nativeRun);
      if (!stage.plan.shared) {
        stage.push(
          run,
          (event) => session.push(event),
          () => response.end(),
        );
        return;
      }
      for (const event of run.opening) session.push(event);
      if (viewers.size === 0) share();
      viewers.add(response);
      channel.register(session);
    }),
  );
  return { port };
};
