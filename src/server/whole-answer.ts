import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Cursor, Dialect, EncodeOptions, WholeAnswer } from "../dialect.ts";
import type { Entry } from "../events.ts";
import type { Log } from "../log.ts";
import { createSegments } from "../segments.ts";
import { Refusal } from "../source.ts";
import { lineSafe } from "../sse.ts";
import { wholeResults } from "./whole-results.ts";

const BATCH = 64;
/** A whole response is built and sent in one go, which blocks other work. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** A run as encoded by one dialect. */
export interface EncodedRun {
  readonly log: Log;
  readonly run: string;
  readonly dialect: Dialect;
  readonly options: EncodeOptions;
}

/** Responds with a run's single response. Calls `onCut` if the connection closes first. */
export const sendWhole = async (
  encoded: EncodedRun,
  until: "end" | "now",
  response: ServerResponse,
  { after = 0, onCut = () => {} }: { readonly after?: number; readonly onCut?: () => void } = {},
): Promise<void> => {
  const cut = new AbortController();
  const close = () => cut.abort();
  if (response.destroyed) close();
  response.once("close", close);
  const whole = await wholeAnswer(encoded, until, after, cut.signal);
  response.off("close", close);
  if (!whole) return onCut();
  const { status, headers } = whole;
  const body = lineSafe(whole.body);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "X-Content-Type-Options": "nosniff",
    "Runcast-Run": encoded.run,
    ...headers,
  });
  response.end(body);
};

/**
 * A run's single response: after it has ended (or, for a dialect with segments, after the segment that begins after
 * `from`), or immediately with the current state. Undefined if the signal aborts first.
 */
const wholeAnswer = async (
  { log, run, dialect, options }: EncodedRun,
  until: "end" | "now",
  from: number,
  signal: AbortSignal,
): Promise<WholeAnswer | undefined> => {
  const answer = dialect.answer?.(options);
  if (!answer) throw new Error(`the ${dialect.name} dialect only supports streams`);
  const segments = dialect.segments && createSegments();
  let wake = (): void => {};
  let size = 0;
  const unwatch = log.watch(run, () => wake());
  signal.addEventListener("abort", () => wake());
  try {
    for (let after = 0; !signal.aborted;) {
      // Armed before the read, so entries stored during it wake the loop.
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const entries = await readWhole(log, run, dialect, after);
      await setImmediate();
      for (const entry of entries) {
        size += sizeOf(entry);
        if (size > MAX_CHARACTERS) throw tooLong(run);
        answer.take(entry);
        if (segments?.take(entry.event) && entry.seq > from) return answer.body();
      }
      const last = entries.at(-1);
      if (last) after = last.seq;
      if (last?.event.type === "run-end") return answer.body();
      if (last) continue;
      if (until === "now") return answer.body();
      if (!signal.aborted) await woken;
    }
    return undefined;
  } finally {
    unwatch();
  }
};

/** The approximate size that an entry adds to a response. */
const sizeOf = ({ event }: Entry): number => {
  if ("delta" in event) return event.delta.length;
  return event.type === "tool-end" ? JSON.stringify([event.content, event.value]).length : 0;
};

const tooLong = (run: string): Refusal =>
  new Refusal("too-large", `run ${run} produced more than fits in one response`, {
    status: 413,
    hint: "request a stream, or follow the run's events",
  });

/** The cursor of a viewer that has the first `frames` frames of a run. Undefined if the run has fewer. */
export const cursorAfter = async (
  { log, run, dialect, options }: EncodedRun,
  frames: number,
): Promise<Cursor | undefined> => {
  const encode = dialect.encode(options);
  let left = frames;
  for (let seq = 0; ;) {
    if (left === 0) return { seq, frame: 0 };
    const entries = await readWhole(log, run, dialect, seq);
    if (entries.length === 0) return undefined;
    await setImmediate();
    for (const entry of entries) {
      const { length } = encode(entry);
      if (left < length) return { seq, frame: left };
      left -= length;
      seq = entry.seq;
      if (left === 0) break;
    }
  }
};

const readWhole = async (log: Log, run: string, { wholeBytes }: Dialect, after: number): Promise<readonly Entry[]> => {
  const entries = await log.read(run, after, BATCH);
  return wholeBytes === undefined ? entries : wholeResults(log, run, wholeBytes, entries);
};
