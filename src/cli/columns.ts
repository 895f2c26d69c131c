import { oneLine } from "./terminal-text.ts";

/** Rows as lines with aligned columns. The last cell of a line is not padded. */
export const columns = (rows: readonly (readonly string[])[]): string[] => {
  const clean = rows.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of clean)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return clean.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
};
