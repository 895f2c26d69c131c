import { monitorEventLoopDelay } from "node:perf_hooks";
import type { RunOutcome } from "../events.ts";
import type { Log } from "../log.ts";

/** What the server counts, raised in place by those who do the work. */
export interface Metrics {
  bytesSent: number;
  heartbeats: number;
  viewers: number;
  eventsStored: number;
  /** By their status. */
  readonly refusals: Map<number, number>;
  readonly runs: Record<RunOutcome, number>;
}

export const createMetrics = (): Metrics => ({
  bytesSent: 0,
  heartbeats: 0,
  viewers: 0,
  eventsStored: 0,
  refusals: new Map(),
  runs: { done: 0, error: 0, cancelled: 0, interrupted: 0 },
});

/** The same log; what is stored in it is counted. */
export const countedLog = (log: Log, metrics: Metrics): Log => ({
  name: log.name,
  survives: log.survives,
  isLasting: log.isLasting,
  records: log.records,
  append: (run, entries, as) => {
    const stored = log.append(run, entries, as);
    metrics.eventsStored += entries.length;
    stored?.then(undefined, () => (metrics.eventsStored -= entries.length));
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

/** How late the event loop is, in seconds. */
export const watchEventLoop = () => {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    // The histogram's values hold the time between two looks as well.
    quantile: (percent: number): number =>
      histogram.count > 0 ? Math.max(0, histogram.percentile(percent) / 1e9 - RESOLUTION_MS / 1e3) : 0,
    stop: () => histogram.disable(),
  };
};

/** Prometheus' text format. */
export const metricsText = (metrics: Metrics, activeRuns: number, loopDelay: (percent: number) => number): string => {
  const lines: string[] = [];
  const add = (name: string, kind: "counter" | "gauge", help: string, samples: readonly [string, number][]) => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
    for (const [labels, value] of samples) lines.push(`${name}${labels} ${value}`);
  };
  add("runcast_runs_active", "gauge", "Runs at work in this process.", [["", activeRuns]]);
  add(
    "runcast_runs_ended_total",
    "counter",
    "Runs that ended in this process.",
    Object.entries(metrics.runs).map(([outcome, count]) => [`{outcome="${outcome}"}`, count]),
  );
  add("runcast_events_stored_total", "counter", "Entries stored by this process.", [["", metrics.eventsStored]]);
  add("runcast_viewers", "gauge", "Open streams.", [["", metrics.viewers]]);
  add("runcast_stream_bytes_sent_total", "counter", "Bytes of frames handed to streams.", [["", metrics.bytesSent]]);
  add("runcast_heartbeats_sent_total", "counter", "Heartbeats sent.", [["", metrics.heartbeats]]);
  add(
    "runcast_refusals_total",
    "counter",
    "Requests that were refused or failed.",
    [...metrics.refusals].toSorted().map(([status, count]) => [`{status="${status}"}`, count]),
  );
  add("process_resident_memory_bytes", "gauge", "Resident memory.", [["", process.memoryUsage.rss()]]);
  add(
    "nodejs_eventloop_delay_seconds",
    "gauge",
    "How late the event loop runs.",
    [50, 99].map((percent) => [`{quantile="${percent / 100}"}`, loopDelay(percent)]),
  );
  return `${lines.join("\n")}\n`;
};
