import type { RunContext } from "../source.ts";
import type { AskResult } from "./asks.ts";
import { createClaim } from "./claim.ts";
import type { Files } from "./files.ts";
import type { Intake } from "./intake.ts";
import type { RunOptions } from "./run-options.ts";

/** The context through which a source acts on its run. */
export const runContext = (
  { log, run, agent, as, lease, prices }: RunOptions,
  signal: AbortSignal,
  { targets, asks, renamer, writer }: Intake,
  { put, get }: Files,
): RunContext => {
  const claim = createClaim(log, run, as, lease);
  const stored = async () => {
    await writer.flushed();
    await claim();
  };
  return {
    run,
    agent: agent.name,
    signal,
    signalOf: (kind, id) => targets.signalOf(kind, id),
    answerTo: async (ask): Promise<AskResult> => {
      const result = await asks.answerTo(renamer.latestAsk(ask));
      // The source acts on the answer, so the answer must be stored first. If it cannot be, report it as cancelled.
      return await stored().then(
        () => result,
        () => ({ outcome: "cancelled" }),
      );
    },
    isRevoked: (ask) => asks.isRevoked(renamer.latestAsk(ask)),
    stored,
    put,
    get,
    ...(prices && { prices }),
  };
};
