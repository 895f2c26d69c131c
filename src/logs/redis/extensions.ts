import type { Ownership } from "../../log.ts";
import { type RedisConnection, Unreachable } from "./connection.ts";
import type { Keys } from "./keys.ts";
import { EXTEND } from "./run-scripts.ts";

/** An append of one chunk to a run that exists and goes on. */
interface Extension {
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly as: Ownership | undefined;
  readonly id: string;
  readonly text: string;
}

/** `refused`: nothing was stored, and a separate append finds out why. `sent`: it may have been stored. */
type Result = "stored" | "refused" | "sent";

/** How many runs one script call extends. It must not block the engine for long. */
const MAX_RUNS = 100;

/**
 * Stores extensions of many runs in one script call, because a call costs more than what it stores. There is one call at
 * a time, and what arrives meanwhile goes into the next. A cluster cannot do this: each run has its own slot there.
 */
export const createExtensions = (connection: RedisConnection, keys: Keys) => {
  const waiting: { readonly extension: Extension; readonly done: PromiseWithResolvers<Result> }[] = [];
  let isWorking = false;

  const send = async (batch: readonly Extension[]): Promise<(place: number) => Result> => {
    let wasSent = false;
    try {
      const stored = await connection.call<number[]>(
        EXTEND,
        batch.flatMap(({ run }) => [keys.info(run), keys.entries(run)]),
        (isRetry) => {
          wasSent = isRetry;
          const valuesOf = ({ first, last, as, id, text }: Extension) => [
            String(first),
            String(last),
            as?.owner ?? "",
            String(as?.epoch ?? 0),
            id,
            text,
          ];
          return batch.flatMap(valuesOf);
        },
      );
      return (place) => (stored[place] === 1 ? "stored" : wasSent ? "sent" : "refused");
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      // Something in the batch cannot be stored. Each is sent again separately, and reports its own error.
      return () => "sent";
    }
  };

  const work = async (): Promise<void> => {
    isWorking = true;
    // Collect all appends of this turn.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_RUNS);
      try {
        const resultOf = await send(batch.map(({ extension }) => extension));
        for (const [place, { done }] of batch.entries()) done.resolve(resultOf(place));
      } catch (error) {
        // Those that wait have waited as long for the server.
        for (const { done } of [...batch, ...waiting.splice(0)]) done.reject(error);
      }
    }
    isWorking = false;
  };

  return (extension: Extension): Promise<Result> => {
    const done = Promise.withResolvers<Result>();
    waiting.push({ extension, done });
    if (!isWorking) void work();
    return done.promise;
  };
};
