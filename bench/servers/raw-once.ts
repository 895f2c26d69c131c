import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { listen } from "../listen.ts";
import { sseHeaders } from "../server.ts";
import type { Serve } from "../server.ts";
import { nativeRun } from "../workload.ts";

/** The baseline for many viewers of one run: `node:http`, each event encoded once and written to every viewer. */
export const serve: Serve = async (stage) => {
  const viewers = new Set<ServerResponse>();
  const start = () => {
    stage.push(
      { ...stage.script(nativeRun), opening: [] },
      (event) => {
        const frame = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
        for (const viewer of viewers) viewer.write(frame);
      },
      () => {
        for (const viewer of viewers) viewer.end();
        viewers.clear();
      },
    );
  };
  const port = await listen(
    createServer((_request, response) => {
      response.writeHead(200, sseHeaders);
      for (const event of stage.script(nativeRun).opening) response.write(`data: ${JSON.stringify(event)}\n\n`);
      if (viewers.size === 0) start();
      viewers.add(response);
      response.on("close", () => viewers.delete(response));
    }),
  );
  return { port };
};
