import type { Event } from "../../events.ts";
import type { Place } from "./place.ts";

/** Emits the position until it is the run's turn, then the events of `begin`, which no longer pass through this wrapper. */
export const startingAfter = (place: Place, begin: () => AsyncIterable<Event>): AsyncIterable<Event> => ({
  [Symbol.asyncIterator]: () => {
    let source: AsyncIterator<Event> | undefined;
    const next = async (): Promise<IteratorResult<Event>> => {
      const update = await place.next();
      if (update === "gone") return { done: true, value: undefined };
      if (update !== "admitted") return { done: false, value: { type: "status", text: update } };
      source = begin()[Symbol.asyncIterator]();
      return { done: false, value: { type: "status", text: "" } };
    };
    return {
      next: () => (source ? source.next() : next()),
      return: async () => (await source?.return?.()) ?? { done: true, value: undefined },
    };
  },
});
