import { connect } from "node:net";
import { MARK, microseconds, STAMP_DIGITS } from "../workload.ts";

export interface Connection {
  readonly expected: number;
  readonly events: number;
  readonly bytes: number;
  readonly lastAt: number;
  readonly latencies: readonly number[];
  readonly sample: string;
  readonly stalled: boolean;
  readonly headed: Promise<void>;
  /** Never rejects: a stream that ends early shows in the count. */
  readonly finished: Promise<void>;
  release(): void;
  close(): Promise<void>;
}

/** One buffer serves all connections, because each read is counted before the next one starts. */
const buffer = Buffer.allocUnsafe(64 * 1024);
const mark = MARK.charCodeAt(0);
const SAMPLE_BYTES = 32 * 1024;

export const createConnection = (options: {
  readonly port: number;
  readonly request: string;
  readonly expected: number;
  readonly stamped: boolean;
  readonly stalled: boolean;
  readonly sampled: boolean;
}): Connection => {
  const { expected } = options;
  const headed = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const latencies: number[] = [];
  let { stalled } = options;
  let events = 0;
  let bytes = 0;
  let lastAt = 0;
  let sample = "";
  /** The start of a timestamp whose rest has not arrived yet. */
  let cut: Buffer | undefined;

  const readStamps = (length: number, now: number) => {
    const chunk = cut ? Buffer.concat([cut, buffer.subarray(0, length)]) : buffer;
    const end = cut ? chunk.length : length;
    cut = undefined;
    for (let index = 0; index < end; index++) {
      if (chunk[index] !== mark) continue;
      if (index + STAMP_DIGITS >= end) {
        cut = Buffer.from(chunk.subarray(index, end));
        return;
      }
      events++;
      let stamp = 0;
      for (let digit = 1; digit <= STAMP_DIGITS; digit++) stamp = stamp * 10 + chunk[index + digit]! - 48;
      latencies.push(now - stamp);
      index += STAMP_DIGITS;
    }
  };
  const readMarks = (length: number) => {
    for (let index = 0; index < length; index++) if (buffer[index] === mark) events++;
  };

  const read = (length: number) => {
    if (bytes === 0) {
      const status = buffer.toString("latin1", 0, Math.min(length, 400));
      if (status.startsWith("HTTP/1.1 20")) headed.resolve();
      else headed.reject(new Error(`the server answered ${status}`));
    }
    bytes += length;
    if (options.sampled && sample.length < SAMPLE_BYTES) sample += buffer.toString("latin1", 0, length);
    if (options.stamped) readStamps(length, microseconds());
    else readMarks(length);
    if (events >= expected && lastAt === 0) {
      lastAt = microseconds();
      finished.resolve();
    }
    return !stalled;
  };

  const socket = connect({ port: options.port, host: "127.0.0.1", onread: { buffer, callback: read } });
  socket.write(options.request);
  socket.on("error", (error) => headed.reject(error));
  socket.on("close", () => {
    headed.reject(new Error("the server closed the connection before the response's headers arrived"));
    finished.resolve();
    closed.resolve();
  });
  headed.promise.catch(() => {});

  return {
    expected,
    latencies,
    headed: headed.promise,
    finished: finished.promise,
    get events() {
      return events;
    },
    get bytes() {
      return bytes;
    },
    get lastAt() {
      return lastAt;
    },
    get sample() {
      return sample;
    },
    get stalled() {
      return stalled;
    },
    release: () => {
      if (!stalled) return;
      stalled = false;
      socket.resume();
    },
    close: () => {
      socket.destroy();
      return closed.promise;
    },
  };
};
