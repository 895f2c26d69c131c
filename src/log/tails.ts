import type { Entry } from "../events.ts";
import type { Ownership } from "../log.ts";
import type { KnownLeases } from "./known-leases.ts";

/** The limit for all tails together. `MAX_TAIL` is the limit for one. */
const MAX_ENTRIES = 50_000;
const MAX_TAIL = 1000;
/** Far more than are released in the time that an append takes. */
const MAX_RELEASED = 10_000;

interface Tail {
  readonly owner: string;
  readonly term: number;
  first: number;
  entries: Entry[];
}

/**
 * The newest entries of the open runs that this process writes. They are complete while no other process can write the
 * run, which is guaranteed until its owner's lease may have expired. A lease that is renewed after a gap begins another
 * term, and the tails of earlier ones stay unusable: another process may have taken over their runs in the gap. A jump
 * of the engine's clock can end a lease early, so a message that another process wrote a run also ends its tail.
 */
export const createTails = (knownLeases: KnownLeases) => {
  const tails = new Map<string, Tail>();
  /** The last epoch of each run that this process has released. Replies to its last appends may still arrive. */
  const released = new Map<string, number>();
  let size = 0;

  const forget = (run: string): void => {
    size -= tails.get(run)?.entries.length ?? 0;
    tails.delete(run);
  };

  return {
    /** Call if another process may have written the run. */
    forget,
    /** Call if it is unknown which runs other processes may have written. */
    forgetAll(): void {
      tails.clear();
      size = 0;
    },
    /** Call before the run is released: another process may write it from then on. */
    release(run: string, { epoch }: Ownership): void {
      forget(run);
      released.set(run, epoch);
      if (released.size > MAX_RELEASED) released.delete(released.keys().next().value!);
    },
    /** The term in which an append is sent. */
    termOf: (as: Ownership | undefined): number => (as ? knownLeases.termOf(as.owner) : 0),
    /** Adds entries that were sent in this term and are stored now. */
    extend(run: string, entries: readonly Entry[], { owner, epoch }: Ownership, term: number): void {
      if (epoch <= (released.get(run) ?? 0)) return;
      const first = entries[0]!.seq;
      let tail = tails.get(run);
      if (!tail || tail.owner !== owner || tail.term !== term || tail.first + tail.entries.length !== first) {
        forget(run);
        tail = { owner, term, first, entries: [] };
        tails.set(run, tail);
      }
      for (const entry of entries) tail.entries.push(entry);
      size += entries.length;
      const spare = tail.entries.length - MAX_TAIL;
      // Trim rarely, because trimming copies the remaining entries.
      if (spare > MAX_TAIL) {
        tail.entries = tail.entries.slice(spare);
        tail.first += spare;
        size -= spare;
      }
      if (size <= MAX_ENTRIES) return;
      // The tails that began first go first, but not this one: its viewers are about to read it.
      tails.delete(run);
      tails.set(run, tail);
      while (size > MAX_ENTRIES) forget(tails.keys().next().value!);
    },
    read(run: string, after: number, limit: number): readonly Entry[] | undefined {
      const tail = tails.get(run);
      if (!tail || after + 1 < tail.first) return undefined;
      if (!knownLeases.isSurelyAlive(tail.owner) || knownLeases.termOf(tail.owner) !== tail.term) return undefined;
      const from = after + 1 - tail.first;
      return tail.entries.slice(from, from + limit);
    },
  };
};

export type Tails = ReturnType<typeof createTails>;
