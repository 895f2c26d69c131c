import type { Refusal } from "../source.ts";
import { HttpRefusal } from "./refusals.ts";

/** Room in memory for all request bodies that have not arrived whole, together. */
export interface BodyBudget {
  /** A body begins. `refuse` is called if it has to give way. */
  begin(refuse: (refusal: Refusal) => void): PendingBody;
}

export interface PendingBody {
  /** So many bytes of it have arrived. */
  grow(bytes: number): void;
  /** It is whole, or given up. */
  end(): void;
}

/**
 * If there is no room left, whoever has been sending for the longest gives way: a body that comes at the usual speed is whole
 * long before those that are only held open.
 */
export const createBodyBudget = (mostBytes: number): BodyBudget => {
  const pending = new Map<symbol, { bytes: number; refuse: (refusal: Refusal) => void }>();
  let held = 0;
  const end = (id: symbol): void => {
    held -= pending.get(id)?.bytes ?? 0;
    pending.delete(id);
  };
  return {
    begin: (refuse) => {
      const id = Symbol("body");
      const body = { bytes: 0, refuse };
      pending.set(id, body);
      return {
        grow: (bytes) => {
          if (!pending.has(id)) return;
          body.bytes += bytes;
          held += bytes;
          for (const [oldest, { refuse: giveWay }] of pending) {
            if (held <= mostBytes) break;
            end(oldest);
            giveWay(tooMuch());
          }
        },
        end: () => end(id),
      };
    },
  };
};

const tooMuch = (): HttpRefusal =>
  new HttpRefusal(
    503,
    "too-many-bodies",
    "this server holds as many unfinished request bodies as it can, and this one has been arriving for the longest",
    "send it again, faster; the setting limits.pendingBodyBytes says how much they may take together",
    { headers: { "retry-after": "2" }, retryable: true },
  );
