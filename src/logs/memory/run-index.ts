import type { RunInfo, RunQuery } from "../../log.ts";

const FIELDS = ["thread", "user", "agent"] as const;
const keyOf = (field: (typeof FIELDS)[number], value: string) => `${field} ${value}`;

/** Runs by thread, user and agent, oldest first, so a list does not scan all runs. */
export const createRunIndex = <Kept extends { readonly info: RunInfo }>() => {
  const sets = new Map<string, Set<Kept>>();

  return {
    add(kept: Kept): void {
      for (const field of FIELDS) {
        const value = kept.info[field];
        if (value === undefined) continue;
        const set = sets.get(keyOf(field, value)) ?? new Set();
        sets.set(keyOf(field, value), set.add(kept));
      }
    },
    remove(kept: Kept): void {
      for (const field of FIELDS) {
        const key = keyOf(field, kept.info[field] ?? "");
        const set = sets.get(key);
        if (set?.delete(kept) && set.size === 0) sets.delete(key);
      }
    },
    /** The smallest set that contains all matches. Undefined if the query has none of the fields. */
    among(query: RunQuery): Iterable<Kept> | undefined {
      const asked = FIELDS.filter((field) => query[field] !== undefined);
      const found = asked.map((field) => sets.get(keyOf(field, query[field]!)) ?? new Set<Kept>());
      return found.sort((one, other) => one.size - other.size)[0];
    },
  };
};
