import type { Entry } from "runcast/events";
import { parseJson } from "runcast/json";

const PREFIX = "runcast.entries ";
/** More than this only wait if the database does not accept them. */
const MOST = 2000;

/**
 * Puts the entries that are not in the database yet into the local storage, when the page closes: a database does not
 * finish its work by then.
 */
export const saveLeftovers = (waiting: ReadonlyMap<string, readonly Entry[]>): void => {
  for (const [run, entries] of waiting) {
    if (entries.length > MOST) continue;
    try {
      localStorage.setItem(PREFIX + run, JSON.stringify(entries));
    } catch {
      // There is no room. The server still has them.
    }
  }
};

/** Returns and removes what earlier pages have saved, by run. */
export const takeLeftovers = (): readonly (readonly [run: string, entries: readonly Entry[]])[] => {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
    return names.map((name) => {
      const entries = parseJson(localStorage.getItem(name) ?? "");
      localStorage.removeItem(name);
      return [name.slice(PREFIX.length), Array.isArray(entries) ? (entries as unknown as Entry[]) : []];
    });
  } catch {
    // The browser has no local storage for this page.
    return [];
  }
};
