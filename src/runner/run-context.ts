import type { RunContext } from "../source.ts";
import type { AskResult } from "./asks.ts";
import type { Files } from "./files.ts";
import type { Intake } from "./intake.ts";

/** A source's hold on its run. */
export const runContext = (
  run: string,
  agent: string,
  signal: AbortSignal,
  { targets, asks, renamer, writer }: Intake,
  { put, get }: Files,
): RunContext => ({
  run,
  agent,
  signal,
  signalOf: (kind, id) => targets.signalOf(kind, id),
  answerTo: async (ask): Promise<AskResult> => {
    const result = await asks.answerTo(renamer.latestAsk(ask));
    // Whoever learns of an answer acts on it, and what is not stored did not happen.
    return await writer.flushed().then(
      () => result,
      () => ({ outcome: "cancelled" }),
    );
  },
  stored: () => writer.flushed(),
  put,
  get,
});
