import { createEventQueue } from "../src/event-queue.ts";
import { native } from "../src/dialects/native.ts";
import type { Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { createServer } from "../src/server.ts";
import { get, INDEX, post } from "./server.ts";
import type { Serve } from "./server.ts";
import type { Stage } from "./stage.ts";
import { nativeRun } from "./workload.ts";

/** Our whole path: a source of prepared events, the runner, a log, the native dialect, and the server. */
export const runcast =
  (log: Log): Serve =>
  async (stage) => {
    const unlimited = Number.MAX_SAFE_INTEGER;
    const server = createServer({
      agents: { bench: (_request, { signal }) => eventsOf(stage, signal) },
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

/** A burst waits for a slow reader. A paced run emits its events through a queue, like the agents of Runcast. */
const eventsOf = (stage: Stage, signal: AbortSignal): AsyncIterable<Event> => {
  const script = stage.script(nativeRun);
  if (stage.plan.mode === "burst") return stage.pull(script, signal);
  const queue = createEventQueue(() => stage.push(script, queue.push, queue.close));
  signal.addEventListener("abort", () => queue.close());
  return queue;
};
