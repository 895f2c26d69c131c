import type { Entry, Event } from "../../events.ts";

/**
 * All entries of one run. Nearly all of them are deltas that differ only in their text and time, so a delta is stored as
 * its text and a reference to the first event like it. That takes half the memory of the entry, and one object that the
 * garbage collector copies instead of four.
 */
export class Entries {
  /** For each entry, the event, or for a delta the first one like it. */
  readonly #events: Event[] = [];
  readonly #deltas: (string | undefined)[] = [];
  readonly #times: number[] = [];

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) this.push(entry);
  }

  push({ at, event }: Entry): void {
    const last = this.#events.at(-1);
    const isMore = last !== undefined && isDelta(event) && isDelta(last) && isAlike(event, last);
    this.#events.push(isMore ? last : event);
    this.#deltas.push(isMore ? event.delta : undefined);
    this.#times.push(at);
  }

  /** At most `limit` entries after `after`. */
  read(after: number, limit: number): readonly Entry[] {
    const entries: Entry[] = [];
    const end = Math.min(this.#events.length, after + limit);
    for (let index = after; index < end; index++) {
      const event = this.#events[index]!;
      const delta = this.#deltas[index];
      const whole = delta === undefined ? event : ({ ...event, delta } as Event);
      entries.push({ seq: index + 1, at: this.#times[index]!, event: whole });
    }
    return entries;
  }
}

interface Delta {
  readonly type: string;
  readonly agent?: string;
  readonly part?: string;
  readonly call?: string;
  readonly stream?: string;
  readonly delta: string;
}

const isDelta = (event: Event): event is Event & Delta => "delta" in event;

/** Whether two deltas have the same fields, with the same values except for the text. */
const isAlike = (event: Delta, other: Delta): boolean => {
  const { type, agent, part, call, stream } = event;
  if (type !== other.type || agent !== other.agent || part !== other.part) return false;
  if (call !== other.call || stream !== other.stream) return false;
  const usual = 3 + (agent === undefined ? 0 : 1) + (stream === undefined ? 0 : 1);
  return fieldsOf(event) === usual && fieldsOf(other) === usual;
};

const fieldsOf = (event: object): number => {
  let count = 0;
  for (const _ in event) count++;
  return count;
};
