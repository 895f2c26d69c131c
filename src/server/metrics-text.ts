import type { Waiting } from "../dialect.ts";
import { labels, type Metrics } from "./metrics.ts";

/** Values that are read when metrics are requested. */
export interface Gauges {
  readonly activeRuns: number;
  readonly queuedRuns: number;
  /** The number of running runs by what they wait for. */
  readonly waiting: ReadonlyMap<Waiting["waiting"], number>;
  /** Viewers that have not received all entries yet. */
  readonly viewersBehind: number;
  /** The event loop delay, in seconds. */
  readonly loopDelay: (percent: number) => number;
}

type Samples = Iterable<readonly [string, number]>;

/** Prometheus text format. */
export const metricsText = (metrics: Metrics, gauges: Gauges): string => {
  const lines: string[] = [];
  const add = (name: string, kind: "counter" | "gauge" | "histogram", help: string, samples: Samples | number) => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
    for (const [end, value] of typeof samples === "number" ? [["", samples] as const] : samples)
      lines.push(`${name}${end} ${value}`);
  };
  add("runcast_runs_active", "gauge", "Active runs in this process.", gauges.activeRuns);
  add("runcast_runs", "gauge", "Active runs in this process, by state.", runsByState(gauges));
  add(
    "runcast_runs_ended_total",
    "counter",
    "Runs that ended in this process.",
    Object.entries(metrics.runs).map(([outcome, count]) => [labels({ outcome }), count]),
  );
  add("runcast_events_stored_total", "counter", "Entries stored by this process.", metrics.eventsStored);
  add(
    "runcast_append_seconds",
    "histogram",
    "How long the log took to store entries.",
    metrics.appendSeconds.samples(),
  );
  add("runcast_viewers", "gauge", "Open streams.", metrics.viewers);
  add("runcast_viewers_behind", "gauge", "Open streams that are behind the log.", gauges.viewersBehind);
  add(
    "runcast_delivery_seconds",
    "histogram",
    "Delay from an event to its delivery to live viewers, measured for one event in 16.",
    metrics.deliverySeconds.samples(),
  );
  add("runcast_stream_bytes_sent_total", "counter", "Bytes of frames handed to streams.", metrics.bytesSent);
  add("runcast_heartbeats_sent_total", "counter", "Heartbeats sent.", metrics.heartbeats);
  add("runcast_refusals_total", "counter", "Requests that were refused or failed.", [...metrics.refusals].toSorted());
  add("runcast_step_retries_total", "counter", "Model requests that were retried.", metrics.retries);
  add("runcast_tokens_total", "counter", "Tokens by model, as providers count them.", [...metrics.tokens].toSorted());
  add("runcast_cost_dollars_total", "counter", "What steps cost, by model.", [...metrics.cost].toSorted());
  add(
    "runcast_calls_total",
    "counter",
    "Tool calls that ended.",
    [...metrics.calls].map(([outcome, count]) => [labels({ outcome }), count]),
  );
  add("process_resident_memory_bytes", "gauge", "Resident memory.", process.memoryUsage.rss());
  add(
    "nodejs_eventloop_delay_seconds",
    "gauge",
    "Event loop delay.",
    [50, 99].map((percent) => [labels({ quantile: percent / 100 }), gauges.loopDelay(percent)]),
  );
  return `${lines.join("\n")}\n`;
};

const STATES = {
  model: "model",
  tool: "tool",
  you: "person",
  retry: "retry",
  storage: "storage",
  agent: "other",
} as const;

const runsByState = ({ waiting, queuedRuns }: Gauges): Samples => [
  [labels({ state: "queued" }), queuedRuns],
  // A queued run counts as `agent` in `waiting`, because it has not emitted anything yet.
  ...Object.entries(STATES).map(([kind, state]) => {
    const count = waiting.get(kind as Waiting["waiting"]) ?? 0;
    return [labels({ state }), kind === "agent" ? Math.max(0, count - queuedRuns) : count] as const;
  }),
];
