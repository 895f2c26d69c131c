import { setImmediate } from "node:timers/promises";
import type { Log } from "../log.ts";
import { createState, fold, type RunSnapshot, type RunState, snapshot } from "../state.ts";

const KEPT = 8;
const BATCH = 512;

/** The state of a run as plain JSON, folded from its log. */
export type States = (run: string) => Promise<{ readonly seq: number; readonly state: RunSnapshot }>;

/** Keeps the states asked for last: who asks again pays only for what is new. */
export const createStates = (log: Log): States => {
  const kept = new Map<string, RunState>();
  return async (run) => {
    const state = kept.get(run) ?? createState();
    kept.delete(run);
    for (;;) {
      const entries = await log.read(run, state.seq, BATCH);
      for (const entry of entries) fold(state, entry);
      if (entries.length === 0) break;
      await setImmediate();
    }
    kept.set(run, state);
    for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    const whole = snapshot(state);
    return { seq: whole.seq, state: whole };
  };
};
