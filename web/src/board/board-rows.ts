import type { RunListChanges, RunRow } from "runcast/protocol";
import { compareRows } from "runcast/view";

/** The rows of the board in their order: the newest first. While they are held, what they say changes, but none comes, goes or moves. */
export interface BoardRows {
  shown(): { rows: readonly RunRow[]; fresh: number; leaving: ReadonlySet<string> };
  replace(rows: readonly RunRow[]): void;
  append(rows: readonly RunRow[]): void;
  /** `isWhole`: there are no older ones that were not asked for yet. */
  apply(changes: Pick<RunListChanges, "runs" | "left">, isWhole: boolean): void;
  /** Answers whether what is shown has changed. */
  hold(isHeld: boolean): boolean;
  /** Lets come and go what was held back. */
  settle(): void;
  isFull(): boolean;
}

/** Nobody scrolls further than that: the search finds what is older. */
const MOST_ROWS = 20_000;

export const createBoardRows = (): BoardRows => {
  let order: readonly string[] = [];
  let known = new Map<string, RunRow>();
  let fresh: readonly string[] = [];
  let leaving: ReadonlySet<string> = new Set();
  let isHeld = false;

  const settle = (): void => {
    if (fresh.length === 0 && leaving.size === 0) return;
    const stay = order.filter((run) => !leaving.has(run));
    for (const run of leaving) known.delete(run);
    order = [...fresh, ...stay].sort((one, other) => compareRows(known.get(one)!, known.get(other)!));
    for (const run of order.slice(MOST_ROWS)) known.delete(run);
    order = order.slice(0, MOST_ROWS);
    fresh = [];
    leaving = new Set();
  };
  return {
    shown: () => ({ rows: order.map((run) => known.get(run)!), fresh: fresh.length, leaving }),
    replace: (rows) => {
      known = new Map(rows.map((row) => [row.run, row]));
      order = [...known.keys()];
      fresh = [];
      leaving = new Set();
    },
    append: (rows) => {
      const added = rows.filter(({ run }) => !known.has(run)).slice(0, MOST_ROWS - known.size);
      for (const row of added) known.set(row.run, row);
      order = [...order, ...added.map(({ run }) => run)];
    },
    apply: ({ runs, left }, isWhole) => {
      const oldest = known.get(order.at(-1) ?? "");
      const begun: string[] = [];
      for (const row of runs) {
        // What is older than all that is shown comes when somebody scrolls there.
        if (!known.has(row.run)) {
          if (!isWhole && oldest && compareRows(row, oldest) > 0) continue;
          begun.push(row.run);
        }
        known.set(row.run, row);
      }
      const gone = left.filter((run) => known.has(run) && !fresh.includes(run));
      for (const run of left) if (fresh.includes(run)) known.delete(run);
      fresh = [...fresh.filter((run) => known.has(run)), ...begun];
      const back = new Set(runs.map(({ run }) => run));
      leaving = new Set([...[...leaving].filter((run) => !back.has(run)), ...gone]);
      if (!isHeld) settle();
    },
    hold: (wanted) => {
      isHeld = wanted;
      const hasChange = !isHeld && (fresh.length > 0 || leaving.size > 0);
      if (hasChange) settle();
      return hasChange;
    },
    settle,
    isFull: () => known.size >= MOST_ROWS,
  };
};
