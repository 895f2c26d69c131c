import { native } from "../src/dialects/native.ts";
import type { Log } from "../src/log.ts";
import { createServer } from "../src/server.ts";
import { get, INDEX, post } from "./server.ts";
import type { Serve } from "./server.ts";
import { nativeRun } from "./workload.ts";

/** Our whole path: a source of prepared events, the runner, a log, the native dialect, and the server. */
export const runcast =
  (log: Log): Serve =>
  async (stage) => {
    const unlimited = Number.MAX_SAFE_INTEGER;
    const server = createServer({
      agents: { bench: (_request, { signal }) => stage.pull(stage.script(nativeRun), signal) },
      log,
      dialects: [native],
      limits: { concurrentRuns: unlimited, streams: unlimited, startsPerMinute: unlimited, readsPerMinute: unlimited },
    });
    const { port } = await server.listen();
    let shared = 0;
    let passes = 0;
    return {
      port,
      request: (purpose) => {
        const start = (run?: string, accept?: string) =>
          post("/runs", port, { message: "go", ...(run && { run }) }, accept);
        if (purpose === "run") return { each: start() };
        if (purpose === "start" || purpose === "follow") {
          const run = `pass-${++passes}-${INDEX}`;
          return { each: purpose === "start" ? start(run, "application/json") : get(`/runs/${run}/events`, port) };
        }
        if (purpose === "shared") shared++;
        const run = purpose === "shared" ? `shared-${shared}` : "stored";
        const follow = get(`/runs/${run}/events`, port);
        return purpose === "catch-up" ? { each: follow } : { first: start(run), each: follow };
      },
    };
  };
