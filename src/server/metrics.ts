import { monitorEventLoopDelay } from "node:perf_hooks";
import type { CallOutcome, Event, RunOutcome, Usage } from "../events.ts";
import type { Log } from "../log.ts";
import type { ObservedRun } from "../runner.ts";
import { RunModels } from "../run-models.ts";
import { Histogram } from "./histogram.ts";

/** The server's counters, updated in place. */
export interface Metrics {
  bytesSent: number;
  heartbeats: number;
  viewers: number;
  eventsStored: number;
  retries: number;
  /** Live deliveries. The delay since the event is measured for every sixteenth. */
  deliveries: number;
  readonly deliverySeconds: Histogram;
  readonly appendSeconds: Histogram;
  /** By status and code. */
  readonly refusals: Map<string, number>;
  /** By model and kind. */
  readonly tokens: Map<string, number>;
  /** In US dollars, by model. */
  readonly cost: Map<string, number>;
  readonly calls: Map<CallOutcome, number>;
  readonly runs: Record<RunOutcome, number>;
}

export const createMetrics = (): Metrics => ({
  bytesSent: 0,
  heartbeats: 0,
  viewers: 0,
  eventsStored: 0,
  retries: 0,
  deliveries: 0,
  deliverySeconds: new Histogram(),
  appendSeconds: new Histogram(),
  refusals: new Map(),
  tokens: new Map(),
  cost: new Map(),
  calls: new Map(),
  runs: { done: 0, error: 0, cancelled: 0, interrupted: 0 },
});

/** `at` is the time of the last entry delivered together. */
export const countDelivery = (metrics: Metrics, at: number): void => {
  if ((metrics.deliveries++ & 15) === 0) metrics.deliverySeconds.observe(Math.max(0, Date.now() - at) / 1000);
};

/** Limits the number of labels, because clients choose the names of models and codes. */
const MAX_SAMPLES = 200;
const raise = <Key extends string>(counts: Map<Key, number>, key: Key, rest: Key, by = 1): void => {
  const counted = counts.has(key) || counts.size < MAX_SAMPLES ? key : rest;
  counts.set(counted, (counts.get(counted) ?? 0) + by);
};

export const countRefusal = ({ refusals }: Metrics, status: number, code: string): void =>
  raise(refusals, labels({ status, code }), labels({ status, code: "other" }));

/** Counts what a run's events report, except deltas. */
export const createEventCounter = (metrics: Metrics) => {
  const models = new WeakMap<ObservedRun, RunModels>();
  const modelsOf = (run: ObservedRun) => {
    let found = models.get(run);
    if (!found) models.set(run, (found = new RunModels()));
    return found;
  };
  const countUsage = (model: string, { cost, ...tokens }: Usage): void => {
    for (const [type, count] of Object.entries(tokens))
      raise(metrics.tokens, labels({ model, type }), labels({ model: "other", type }), count);
    if (cost !== undefined) raise(metrics.cost, labels({ model }), labels({ model: "other" }), cost);
  };
  return (run: ObservedRun, event: Event): void => {
    if (event.type === "step-retry") metrics.retries++;
    else if (event.type === "tool-end") raise(metrics.calls, event.outcome, event.outcome);
    else if (event.type === "step-end" && event.usage) {
      const own = run.request.model ?? run.agent.source.about?.model ?? "unknown";
      countUsage(modelsOf(run).of(event) ?? own, event.usage);
    }
    modelsOf(run).observe(event);
  };
};

/** Labels in Prometheus format. */
export const labels = (values: Readonly<Record<string, string | number>>): string =>
  `{${Object.entries(values)
    .map(([name, value]) => `${name}="${`${value}`.slice(0, 100).replace(/[\\"]/g, "\\$&").replace(/\n/g, " ")}"`)
    .join(",")}}`;

/** The same log, with its appends counted. */
export const countedLog = (log: Log, metrics: Metrics): Log => ({
  name: log.name,
  survives: log.survives,
  isLasting: log.isLasting,
  records: log.records,
  append: (run, entries, as) => {
    const stored = log.append(run, entries, as);
    metrics.eventsStored += entries.length;
    // Synchronous appends take no measurable time.
    if (!stored) return;
    const began = performance.now();
    stored.then(
      () => metrics.appendSeconds.observe((performance.now() - began) / 1000),
      () => (metrics.eventsStored -= entries.length),
    );
    return stored;
  },
  read: (run, after, limit) => log.read(run, after, limit),
  watch: (run, wake) => log.watch(run, wake),
  info: (run) => log.info(run),
  list: (query) => log.list(query),
  heartbeat: (owner, leaseMs) => log.heartbeat(owner, leaseMs),
  takeOver: (run, owner) => log.takeOver(run, owner),
  release: (run, as) => log.release(run, as),
  orphans: (limit) => log.orphans(limit),
  send: (run, control) => log.send(run, control),
  controls: (run, after, limit) => log.controls(run, after, limit),
  watchControls: (wake) => log.watchControls(wake),
  put: (run, bytes, file) => log.put(run, bytes, file),
  get: (run, file, range) => log.get(run, file, range),
  discard: (run, files) => log.discard(run, files),
  ...(log.check && { check: () => log.check!() }),
  ...(log.backup && { backup: () => log.backup!() }),
  drop: (run) => log.drop(run),
  retain: (policy, now) => log.retain(policy, now),
  close: () => log.close(),
});

const RESOLUTION_MS = 20;

/** The event loop delay, in seconds. */
export const watchEventLoop = () => {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    // The histogram's values include the sampling interval.
    quantile: (percent: number): number =>
      histogram.count > 0 ? Math.max(0, histogram.percentile(percent) / 1e9 - RESOLUTION_MS / 1e3) : 0,
    stop: () => histogram.disable(),
  };
};
