import type { RunListChanges, RunRow } from "runcast/protocol";
import { compareRows } from "runcast/view";

/** The rows of the board, newest first. While held, rows update, but none is added, removed or moved. */
export interface BoardRows {
  shown(): { rows: readonly RunRow[]; fresh: number; leaving: ReadonlySet<string> };
  replace(rows: readonly RunRow[]): void;
  append(rows: readonly RunRow[]): void;
  /** `isWhole`: all older runs are loaded. */
  apply(changes: Pick<RunListChanges, "runs" | "left">, isWhole: boolean): void;
  /** Returns whether the visible rows changed. */
  hold(isHeld: boolean): boolean;
  /** Adds and removes what was held back. */
  settle(): void;
  count(): number;
  isFull(): boolean;
}

/** The limit of rows in memory. Older runs can be found by search. */
const MAX_ROWS = 20_000;

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
    for (const run of order.slice(MAX_ROWS)) known.delete(run);
    order = order.slice(0, MAX_ROWS);
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
      const added = rows.filter(({ run }) => !known.has(run)).slice(0, MAX_ROWS - known.size);
      for (const row of added) known.set(row.run, row);
      order = [...order, ...added.map(({ run }) => run)];
    },
    apply: ({ runs, left }, isWhole) => {
      const oldest = known.get(order.at(-1) ?? "");
      const begun: string[] = [];
      for (const row of runs) {
        // Runs older than the loaded ones are loaded by scrolling.
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
    count: () => known.size,
    isFull: () => known.size >= MAX_ROWS,
  };
};
