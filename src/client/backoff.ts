import type { Problem } from "../events.ts";
import { LONGEST_TIMER } from "../timer.ts";

/** Returns the delay in milliseconds before try `attempt` (counted from 1 since data last arrived), or undefined to give up. */
export type Backoff = (attempt: number, why: Problem) => number | undefined;

const FIRST_MS = 500;
const MAX_MS = 30_000;

/** Doubles up to half a minute. Half of the delay is random, so clients do not all reconnect together when a server restarts. */
export const defaultBackoff: Backoff = (attempt) =>
  Math.min(MAX_MS, FIRST_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);

/** Rejects with the signal's reason. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
  });
