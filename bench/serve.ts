// The process of one server under test. Gets the server's file as argument, then orders from the measuring process.
import { answer } from "./pinned.ts";
import type { Purpose, Requests, Serve } from "./server.ts";
import { get } from "./server.ts";
import { createStage } from "./stage.ts";
import type { Plan } from "./workload.ts";
import { microseconds } from "./workload.ts";

export type ServerOrder =
  | { readonly do: "begin"; readonly plan: Plan; readonly purpose: Purpose }
  | { readonly do: "go" }
  | { readonly do: "usage"; readonly collect?: boolean };

export interface ServerAnswers {
  readonly begin: { readonly port: number; readonly requests: Requests };
  /** On the clock of `microseconds`. */
  readonly go: { readonly startedAt: number };
  /** CPU seconds since `go`, and the current resident and live heap bytes. */
  readonly usage: { readonly cpu: number; readonly resident: number; readonly heap: number };
}

const stage = createStage();
const { serve }: { serve: Serve } = await import(new URL(process.argv[2]!, import.meta.url).href);
const served = await serve(stage);
let before = process.cpuUsage();

answer<ServerOrder>(async (order) => {
  if (order.do === "begin") {
    stage.begin(order.plan);
    const requests = served.request?.(order.purpose) ?? { each: get("/", served.port) };
    return { port: served.port, requests };
  }
  if (order.do === "go") {
    before = process.cpuUsage();
    const startedAt = microseconds();
    stage.go();
    return { startedAt };
  }
  const { user, system } = process.cpuUsage(before);
  if (order.collect) await collect();
  return { cpu: (user + system) / 1e6, resident: process.memoryUsage.rss(), heap: process.memoryUsage().heapUsed };
});

/** Collects garbage until the resident set no longer shrinks, because freed pages return to the system with a delay. */
async function collect() {
  let resident = Infinity;
  for (let round = 0; round < 10; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = process.memoryUsage.rss();
    if (now > resident - 256 * 1024) return;
    resident = now;
  }
}
