import type { Refusal } from "../source.ts";
import { HttpRefusal } from "./refusals.ts";
import { Turns } from "./turns.ts";

/** A shared memory limit for all request bodies that have not fully arrived. */
export interface BodyBudget {
  /** A body starts. `refuse` is called if it must be dropped. */
  begin(refuse: (refusal: Refusal) => void): PendingBody;
  /** Continues to read in a later turn, a few bodies per turn: one turn would otherwise read megabytes of every fast body. */
  readOn(body: { resume(): unknown }): void;
}

export interface PendingBody {
  /** This many more bytes have arrived. */
  grow(bytes: number): void;
  /** The body is complete or abandoned. */
  end(): void;
}

const BODIES_PER_TURN = 16;

/**
 * If the limit is reached, drops the body that has been arriving for the longest: a body at normal speed completes long
 * before those that are merely held open.
 */
export const createBodyBudget = (maxBytes: number): BodyBudget => {
  const pending = new Map<symbol, { bytes: number; refuse: (refusal: Refusal) => void }>();
  const turns = new Turns(BODIES_PER_TURN, () => {});
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
            if (held <= maxBytes) break;
            end(oldest);
            giveWay(tooMuch());
          }
        },
        end: () => end(id),
      };
    },
    readOn: (body) => turns.add({ flush: () => body.resume() }),
  };
};

const tooMuch = (): HttpRefusal =>
  new HttpRefusal(
    503,
    "too-many-bodies",
    "too many request bodies are unfinished, and this one is the oldest",
    "send it again over a faster connection; the limits.pendingBodyBytes setting sets this limit",
    { headers: { "retry-after": "2" }, retryable: true },
  );
