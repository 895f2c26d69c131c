import type { Ownership } from "../../log.ts";
import { type RedisConnection, Unreachable } from "./connection.ts";
import type { Keys } from "./keys.ts";
import { EXTEND } from "./run-scripts.ts";
import type { Wakes } from "./wakes.ts";

/** An append of one chunk to a run that exists and continues. Its callbacks must not throw. */
interface Extension {
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly as: Ownership | undefined;
  readonly text: string;
  onResult(result: Result): void;
  onError(error: unknown): void;
}

/** `refused`: nothing was stored, and a separate append finds out why. `sent`: it may have been stored. */
type Result = "stored" | "refused" | "sent";

/** How many runs one script call extends. It must not block the engine for long. */
const MAX_RUNS = 100;

/**
 * Stores extensions of many runs in one script call, because a call costs more than what it stores. There is one call at
 * a time, and what arrives meanwhile goes into the next. The call also wakes the runs' watchers in other processes. A
 * cluster cannot do this: each run has its own slot there.
 */
export const createExtensions = (connection: RedisConnection, keys: Keys, wakes: Wakes) => {
  const waiting: Extension[] = [];
  let isWorking = false;

  const send = async (batch: readonly Extension[]): Promise<(place: number) => Result> => {
    const places: string[] = [];
    const values = [
      keys.channel,
      wakes.message(
        "e",
        batch.map(({ run }) => run),
      ),
    ];
    for (const { run, first, last, as, text } of batch) {
      places.push(keys.info(run), keys.entries(run));
      values.push(`${first}`, `${last}`, as?.owner ?? "", `${as?.epoch ?? 0}`, text);
    }
    let wasSent = false;
    try {
      const stored = await connection.call<number[]>(EXTEND, places, (isRetry) => {
        wasSent = isRetry;
        return values;
      });
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
        const resultOf = await send(batch);
        batch.forEach((extension, place) => extension.onResult(resultOf(place)));
      } catch (error) {
        // The others have waited for the server just as long, so they fail, too.
        for (const extension of [...batch, ...waiting.splice(0)]) extension.onError(error);
      }
    }
    isWorking = false;
  };

  return (extension: Extension): void => {
    waiting.push(extension);
    if (!isWorking) void work();
  };
};
