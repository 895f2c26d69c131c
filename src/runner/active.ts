import type { ActiveRun } from "./active-run.ts";

/** A run at work here, or one whose start is being decided. */
export type Active = Pick<
  ActiveRun,
  "started" | "ended" | "close" | "handOver" | "lose" | "cancel" | "answer" | "waiting"
>;

export const placeholder = (started: Promise<void>): Active => ({
  started,
  ended: started.then(() => undefined),
  close: () => started,
  handOver: () => started,
  lose: () => {},
  cancel: () => Promise.resolve("unknown"),
  answer: () => Promise.resolve("unknown"),
  waiting: () => ({ waiting: "agent", since: Date.now() }),
});
