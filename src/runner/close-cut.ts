import { setTimeout as sleep } from "node:timers/promises";
import type { Event, EventOf } from "../events.ts";
import { type Log, LogConflict, LogMissing, type Ownership } from "../log.ts";
import { createVerifier } from "../verify.ts";
import { type Ending, closeInside } from "./close.ts";
import type { Flusher } from "./flusher.ts";
import { LeaseLost } from "./lease.ts";
import { sizeOf, Writer } from "./writer.ts";

const PAGE = 512;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/** A run whose log failed, and the ownership to write with. */
export interface Cut {
  readonly log: Log;
  readonly run: string;
  readonly flusher: Flusher;
  readonly as: Ownership | undefined;
}

/** Ends a run that has no producer, based on its log. Returns its run-end, which may already have been stored. */
const closeCut = async ({ log, run, flusher, as }: Cut, ending: Ending): Promise<EventOf<"run-end">> => {
  const verifier = createVerifier();
  let after = { seq: 0, at: 0 };
  for (;;) {
    const entries = await log.read(run, after.seq, PAGE);
    for (const { event } of entries) {
      verifier.check(event);
      if (event.type === "run-end") return event;
    }
    if (!entries.length) break;
    after = entries.at(-1)!;
  }
  const writer = new Writer({ log, run, flusher, as, onFailure: () => {}, after });
  const { outcome, error } = ending;
  const runEnd: EventOf<"run-end"> = { type: "run-end", outcome, ...(error && { error }) };
  for (const event of [...closeInside(verifier.root, ending), runEnd] as Event[]) writer.write(event, sizeOf(event));
  await writer.flushed();
  return runEnd;
};

/** Retries until the log accepts the run's end. Returns undefined when `signal` aborts or another process owns the run. */
export const keepClosing = async (
  cut: Cut,
  ending: Ending,
  signal: AbortSignal,
): Promise<EventOf<"run-end"> | undefined> => {
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await closeCut(cut, ending);
    } catch (error) {
      if (isAnothers(error)) return undefined;
    }
    // Do not keep an otherwise idle process alive: the next process closes the run when it starts.
    await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
  }
  return undefined;
};

/** Whether the log rejected a write because this process no longer owns the run. */
export const isAnothers = (error: unknown): boolean =>
  error instanceof LogConflict || error instanceof LogMissing || error instanceof LeaseLost;
