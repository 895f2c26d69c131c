import type { Entry, RunOutcome } from "../../src/events.ts";

/** A run's first entry. */
export const startEntry = (
  run: string,
  {
    thread,
    at = 1000,
    user,
    name = "agent",
    agentKey,
  }: { thread?: string; at?: number; user?: string; name?: string; agentKey?: string } = {},
): Entry => ({
  seq: 1,
  at,
  event: {
    type: "run-start",
    protocol: 1,
    run,
    name,
    ...(agentKey && { agentKey }),
    ...(thread && { thread }),
    ...(user && { user: { id: user } }),
  },
});

/** `count` text entries starting at `seq`, each with its own seq as text. */
export const textEntries = (seq: number, count: number, padding = ""): Entry[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: seq + index,
    at: 1000 + seq + index,
    event: { type: "text-delta", part: "text", delta: `${seq + index} é🙂\u2028\n${padding}` },
  }));

export const endEntry = (seq: number, { at = 5000, outcome = "done" as RunOutcome } = {}): Entry => ({
  seq,
  at,
  event: { type: "run-end", outcome },
});
