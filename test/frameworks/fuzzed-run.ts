import type { Event } from "../../src/events.ts";
import { verify } from "../../src/verify.ts";
import { logOf } from "./log-of.ts";

/** Throws unless a runner turns these events into a grammatical run without corrections. */
export const expectRun = async (events: readonly Event[]): Promise<void> => {
  if (events.length === 0) return;
  const entries = await logOf(events);
  const wrong = verify(entries);
  if (wrong) throw new Error(`the run is not grammatical: ${JSON.stringify(wrong)}`);
  const end = entries.at(-1)?.event;
  if (end?.type === "run-end" && end.error?.code === "invalid-event")
    throw new Error(`the decoder broke the grammar: ${end.error.message}`);
};
