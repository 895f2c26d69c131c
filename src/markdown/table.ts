import type { Alignment } from "./block.ts";

/** Splits a table row into cells at unescaped bars. */
export const cellsOf = (row: string): string[] => {
  const cells: string[] = [];
  let cell = "";
  const text = row.trim();
  for (let at = text.startsWith("|") ? 1 : 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\" && text[at + 1] === "|") {
      cell += "|";
      at++;
    } else if (char === "|") {
      cells.push(cell.trim());
      cell = "";
      if (cells.length > COLUMNS) return cells;
    } else cell += char;
  }
  if (cell.trim() !== "" || !text.endsWith("|")) cells.push(cell.trim());
  return cells;
};

/** The column alignments, if the line is a table's delimiter row. */
export const delimitersOf = (line: string): Alignment[] | undefined => {
  if (!line.includes("|") && !line.includes(":")) return undefined;
  const cells = cellsOf(line);
  if (cells.length === 0 || cells.length > COLUMNS || !cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) =>
    cell.startsWith(":")
      ? cell.endsWith(":") && cell.length > 1
        ? "center"
        : "left"
      : cell.endsWith(":")
        ? "right"
        : undefined,
  );
};

const COLUMNS = 64;
