import type { Entry } from "runcast/events";
import type { RunState } from "runcast/state";
import { announcementOf } from "runcast/view";
import { type Cell, createCell } from "../kit/cell.ts";
import { parseJson } from "runcast/json";

/** A sentence for screen readers, announced once. */
export interface Announcement {
  readonly id: number;
  readonly text: string;
}

/** Turns events of a run into sentences: finished messages, tool outcomes, and open asks. */
export interface Announcer {
  /** The latest announcements. Older ones are dropped. */
  readonly announcements: Cell<readonly Announcement[]>;
  say(text: string): void;
  /**
   * Called for an entry just folded into its state. Entries that are not `isNew` are already known and not announced.
   */
  observe(run: string, state: RunState, entry: Entry, isNew: boolean): void;
}

const KEPT = 6;
const REACHED = "runcast.announced";

export const createAnnouncer = (): Announcer => {
  const announcements = createCell<readonly Announcement[]>([]);
  /** The last observed entry of each run. Survives a reload. */
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
