import type { Entry } from "runcast/events";
import type { RunState } from "runcast/state";
import { announcementOf } from "runcast/view";
import { type Cell, createCell } from "../kit/cell.ts";
import { parseJson } from "runcast/json";

/** One sentence that a screen reader is to say, once. */
export interface Announcement {
  readonly id: number;
  readonly text: string;
}

/** Turns what happens in a run into sentences: finished messages, outcomes of tools, and what waits for a person. */
export interface Announcer {
  /** Those that were said last; older ones are gone. */
  readonly announcements: Cell<readonly Announcement[]>;
  say(text: string): void;
  /** An entry of a run that was just folded into its state. What is not `isNew` is known to whoever listens, and not said. */
  observe(run: string, state: RunState, entry: Entry, isNew: boolean): void;
}

const KEPT = 6;
const REACHED = "runcast.announced";

export const createAnnouncer = (): Announcer => {
  const announcements = createCell<readonly Announcement[]>([]);
  /** By run: the last entry that was observed, before a reload too. */
  const reached = new Map<string, number>(readReached());
  let count = 0;
  addEventListener("pagehide", () => sessionStorage.setItem(REACHED, JSON.stringify([...reached].slice(-KEPT))));

  const say = (text: string): void =>
    announcements.set([...announcements.get().slice(1 - KEPT), { id: ++count, text }]);
  const observe: Announcer["observe"] = (run, state, { seq, event }, isNew) => {
    const before = reached.get(run) ?? 0;
    if (seq <= before) return;
    reached.set(run, seq);
    const text = isNew ? announcementOf(state, event) : undefined;
    if (text) say(text);
  };
  return { announcements, say, observe };
};

const readReached = (): [string, number][] => {
  const kept = parseJson(sessionStorage.getItem(REACHED) ?? "");
  return Array.isArray(kept) ? (kept as [string, number][]) : [];
};
