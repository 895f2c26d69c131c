// The load client: a separate process that opens streams, counts what it receives, and reports it. It parses nothing.
import { createConnection } from "./load/connection.ts";
import type { Connection } from "./load/connection.ts";
import { answer } from "./pinned.ts";
import { INDEX } from "./server.ts";
import type { Requests } from "./server.ts";

export type LoadOrder =
  | ({ readonly do: "open" } & Opening)
  | { readonly do: "finish"; readonly timeoutMs: number }
  | { readonly do: "release" }
  | { readonly do: "reset" };

export interface Opening {
  readonly port: number;
  readonly requests: Requests;
  readonly streams: number;
  /** The number of events that each stream must deliver. */
  readonly expected: number;
  readonly stamped: boolean;
  /** The first this many streams stop reading after their headers, until `release`. */
  readonly stalled: number;
}

export interface LoadAnswers {
  /** Resolves when every stream has received its first bytes. */
  readonly open: undefined;
  /** Resolves when every reading stream has all its events. Rejects if one has too few or too many. */
  readonly finish: LoadReport;
  readonly release: undefined;
  readonly reset: undefined;
}

export interface LoadReport {
  readonly events: number;
  readonly bytes: number;
  /** The arrival of the last event, in microseconds of the monotonic clock. */
  readonly lastAt: number;
  /** Microseconds from emission to arrival. Absent without timestamps. */
  readonly p50?: number;
  readonly p99?: number;
  /** How much later the last quarter of each stream's events arrived than the first quarter. */
  readonly growth?: number;
  /** The first bytes of the first stream. */
  readonly sample: string;
  /** The share of its core that this client used. */
  readonly busy: number;
}

const WAVE = 200;
let connections: Connection[] = [];
let openedAt = { cpu: process.cpuUsage(), time: performance.now() };

const open = async (opening: Opening) => {
  const before = connections.length;
  const add = (index: number) => {
    const first = index === 0 ? opening.requests.first : undefined;
    const connection = createConnection({
      ...opening,
      request: first ?? opening.requests.each.replaceAll(INDEX, numberOf(index - before)),
      stalled: index < opening.stalled,
      sampled: index === opening.stalled,
    });
    connections.push(connection);
    return connection.headed;
  };
  let next = before;
  // The other streams show a run that the first request starts, so wait for it.
  if (opening.requests.first !== undefined && next === 0) await add(next++);
  while (next < before + opening.streams) {
    const wave = Array.from({ length: Math.min(WAVE, before + opening.streams - next) }, () => add(next++));
    await Promise.all(wave);
  }
  openedAt = { cpu: process.cpuUsage(), time: performance.now() };
};

const finish = async (timeoutMs: number): Promise<LoadReport> => {
  const reading = connections.filter((connection) => !connection.stalled);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  await Promise.race([late, Promise.all(reading.map((connection) => connection.finished))]);
  clearTimeout(timer);
  const { user, system } = process.cpuUsage(openedAt.cpu);
  const busy = (user + system) / 1e3 / (performance.now() - openedAt.time);
  // Long enough for a surplus event to arrive.
  await new Promise((resolve) => setTimeout(resolve, 30));
  const wrong = reading.find((connection) => connection.events !== connection.expected);
  if (wrong) throw new Error(`a stream got ${wrong.events} of ${wrong.expected} events`);
  return {
    events: sum(reading.map((connection) => connection.events)),
    bytes: sum(reading.map((connection) => connection.bytes)),
    lastAt: Math.max(...reading.map((connection) => connection.lastAt)),
    ...percentiles(reading.map((connection) => connection.latencies)),
    sample: reading[0]?.sample ?? "",
    busy,
  };
};

answer<LoadOrder>(async (order) => {
  if (order.do === "open") return open(order);
  if (order.do === "finish") return finish(order.timeoutMs);
  if (order.do === "release") {
    for (const connection of connections) connection.release();
    return undefined;
  }
  await Promise.all(connections.map((connection) => connection.close()));
  connections = [];
  return undefined;
});

function numberOf(index: number) {
  return String(index).padStart(INDEX.length, "0");
}

function sum(numbers: readonly number[]) {
  return numbers.reduce((total, number) => total + number, 0);
}

function percentiles(streams: readonly (readonly number[])[]) {
  const all = sorted(streams.flat());
  if (all.length === 0) return {};
  const quarter = (from: number) => streams.flatMap((one) => one.slice(from * one.length, (from + 0.25) * one.length));
  const growth = at(sorted(quarter(0.75)), 0.5) - at(sorted(quarter(0)), 0.5);
  return { p50: at(all, 0.5), p99: at(all, 0.99), growth };
}

function sorted(numbers: readonly number[]) {
  return Float64Array.from(numbers).sort();
}

function at(numbers: Float64Array, share: number) {
  return numbers[Math.min(numbers.length - 1, Math.floor(numbers.length * share))]!;
}
