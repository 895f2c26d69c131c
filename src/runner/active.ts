import type { ActiveRun } from "./active-run.ts";

/** A run that is active in this process, or a placeholder while its start is being decided. */
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
