import { randomBytes } from "node:crypto";
import type { LoadAnswers, LoadOrder, LoadReport, Opening } from "./load.ts";
import { frameOverhead } from "./measure/frame-overhead.ts";
import { start } from "./pinned.ts";
import type { Pinned } from "./pinned.ts";
import type { Scenario } from "./scenarios.ts";
import type { ServerAnswers, ServerOrder } from "./serve.ts";
import type { Purpose } from "./server.ts";
import type { Variant, VariantName } from "./variants.ts";
import { variants } from "./variants.ts";
import { countedEvents } from "./workload.ts";
import type { Plan } from "./workload.ts";

/**
 * Metrics by name: `rate` in events per second, `cpu` in seconds per million events, `p50` and `p99` in microseconds, …
 */
export type Metrics = Readonly<Record<string, number>>;

export interface Bench {
  readonly load: Pinned<LoadAnswers>;
  readonly env: Record<string, string>;
  readonly quick: boolean;
}

/** Measures one scenario on a server that is started only for it. */
export const measure = async (bench: Bench, scenario: Scenario, name: VariantName): Promise<Metrics> => {
  const variant: Variant = variants[name];
  // A unique ID, so that an engine's data of other runs does not interfere.
  const env = { ...bench.env, BENCH_ID: `bench_${randomBytes(6).toString("hex")}` };
  const startServer = () => start<ServerAnswers>("./serve.ts", { args: [variant.file], core: 0, env });
  const withServer = async <Result>(work: (session: Session) => Promise<Result>): Promise<Result> => {
    const server = startServer();
    try {
      return await work({ bench, server });
    } finally {
      await server.stop();
      await bench.load.ask({ do: "reset" });
    }
  };
  const { plan } = scenario;
  if (scenario.kind === "idle") return withServer((session) => idle(session, plan, scenario.base!));
  if (scenario.kind === "catch-up") return withServer((session) => catchUp(session, plan));
  if (scenario.kind === "elsewhere")
    return withServer(async (session) => {
      const viewed = startServer();
      try {
        if (!bench.quick) await elsewhere(session, viewed, warmUp(plan));
        return await elsewhere(session, viewed, plan);
      } finally {
        await viewed.stop();
      }
    });
  if (scenario.kind === "stalled") {
    const count = variant.ours ? scenario.stalled!.ours : scenario.stalled!.peers;
    const without = await withServer((session) => stalled(session, plan, 0));
    const held = await withServer((session) => stalled(session, plan, count));
    return { kib: (held - without) / 1024 / count };
  }
  return withServer(async (session) => {
    if (!bench.quick) await stream(session, warmUp(plan));
    return stream(session, plan);
  });
};

interface Session {
  readonly bench: Bench;
  readonly server: Pinned<ServerAnswers>;
}

const order = <Name extends ServerOrder["do"]>(order: Extract<ServerOrder, { do: Name }>) => order;
const loadOrder = <Name extends LoadOrder["do"]>(order: Extract<LoadOrder, { do: Name }>) => order;

/**
 * What a server does before it is measured. A burst needs a long warm-up: after a short one, its figures depend on
 * which function happens to be compiled during the measurement. A paced plan gets a short one: after a long one, its
 * delays include the collection of the garbage.
 */
const warmUp = (plan: Plan): Plan => {
  const size = plan.mode === "paced" ? { streams: 20, tokens: 1000 } : { streams: 100, tokens: 3000 };
  return { ...plan, ...size, mode: "burst", perTick: 1 };
};

const begin = async ({ bench, server }: Session, plan: Plan, purpose: Purpose, opening: Partial<Opening> = {}) => {
  const { port, requests } = await server.ask(order<"begin">({ do: "begin", plan, purpose }));
  const full = { port, requests, streams: plan.streams, expected: countedEvents(plan), stamped: plan.mode === "paced" };
  await bench.load.ask(loadOrder<"open">({ do: "open", ...full, stalled: 0, ...opening }), 120_000);
  return { port, requests };
};

const TIMEOUT_MS = 90_000;
const finish = ({ bench }: Session) =>
  bench.load.ask(loadOrder<"finish">({ do: "finish", timeoutMs: TIMEOUT_MS }), TIMEOUT_MS + 10_000);

const stream = async (session: Session, plan: Plan): Promise<Metrics> => {
  await begin(session, plan, plan.shared ? "shared" : "run");
  const { startedAt } = await session.server.ask({ do: "go" });
  const report = await finish(session);
  const { cpu } = await session.server.ask({ do: "usage" });
  await session.bench.load.ask({ do: "reset" });
  return {
    rate: report.events / ((report.lastAt - startedAt) / 1e6),
    cpu: (cpu / report.events) * 1e6,
    bytes: report.bytes / report.events,
    load: report.busy,
    ...delays(report),
    ...frameOverhead(report.sample),
  };
};

const delays = ({ p50, p99, growth }: LoadReport): Metrics =>
  p50 === undefined ? {} : { p50, p99: p99!, growth: growth! };

/** The runs execute on the session's server and are watched on another one. */
const elsewhere = async (session: Session, viewed: Session["server"], plan: Plan): Promise<Metrics> => {
  const { load } = session.bench;
  const started = await session.server.ask(order<"begin">({ do: "begin", plan, purpose: "start" }));
  const followed = await viewed.ask(order<"begin">({ do: "begin", plan, purpose: "follow" }));
  const opening = { streams: plan.streams, stalled: 0, stamped: plan.mode === "paced" };
  await load.ask(loadOrder<"open">({ do: "open", ...started, ...opening, expected: 0 }), 120_000);
  await load.ask(loadOrder<"open">({ do: "open", ...followed, ...opening, expected: countedEvents(plan) }), 120_000);
  await viewed.ask({ do: "go" });
  await session.server.ask({ do: "go" });
  const report = await finish(session);
  const used = [await session.server.ask({ do: "usage" }), await viewed.ask({ do: "usage" })];
  await load.ask({ do: "reset" });
  return { cpu: (used.reduce((total, { cpu }) => total + cpu, 0) / report.events) * 1e6, ...delays(report) };
};

/** Stores a run, then measures viewers that read it from the start after it has ended. */
const catchUp = async (session: Session, plan: Plan): Promise<Metrics> => {
  await begin(session, { ...plan, streams: 1 }, "fill");
  await session.server.ask({ do: "go" });
  await finish(session);
  await session.bench.load.ask({ do: "reset" });
  const { port, requests } = await session.server.ask(order<"begin">({ do: "begin", plan, purpose: "catch-up" }));
  const { startedAt } = await session.server.ask({ do: "go" });
  const opening = { port, requests, streams: plan.streams, expected: countedEvents(plan), stamped: false, stalled: 0 };
  await session.bench.load.ask(loadOrder<"open">({ do: "open", ...opening }));
  const report = await finish(session);
  const { cpu } = await session.server.ask({ do: "usage" });
  return { rate: report.events / ((report.lastAt - startedAt) / 1e6), cpu: (cpu / report.events) * 1e6 };
};

/** The slope between two numbers of open streams, which cancels out the cost of the process itself. */
const idle = async (session: Session, plan: Plan, base: number): Promise<Metrics> => {
  const served = await begin(session, plan, plan.shared ? "shared" : "run", { streams: base });
  const fewer = await memory(session);
  const more = plan.streams - base;
  const opening = { ...served, streams: more, expected: 0, stamped: false, stalled: 0 };
  await session.bench.load.ask(loadOrder<"open">({ do: "open", ...opening }), 120_000);
  const { resident, heap } = await memory(session);
  return { kib: (resident - fewer.resident) / 1024 / more, heap: (heap - fewer.heap) / 1024 / more };
};

/** The memory of a server after one run that one viewer read to the end while others stopped reading. Afterwards they resume. */
const stalled = async (session: Session, plan: Plan, viewers: number): Promise<number> => {
  const pass = async (count: number) => {
    await begin(session, plan, "shared", { streams: count + 1, stalled: count });
    await session.server.ask({ do: "go" });
    await finish(session);
    return (await memory(session)).resident;
  };
  // The first run grows the process to the size that any run needs.
  await pass(0);
  await session.bench.load.ask({ do: "reset" });
  const resident = await pass(viewers);
  await session.bench.load.ask({ do: "release" });
  await finish(session);
  return resident;
};

const memory = ({ server }: Session) => server.ask(order<"usage">({ do: "usage", collect: true }));
