import type { Table } from "./result-shape.ts";

/** The longest text that is read as CSV. Larger ones are shown as text. */
export const LONGEST_CSV = 1_000_000;
const MOST_ROWS = 20_000;
const MOST_COLUMNS = 60;

/**
 * Reads comma-separated values with a header (RFC 4180) as a table. Every row must have the same number of cells, at
 * least two. If it is not known that the text is CSV, everything in it must look like it, so prose stays prose.
 * Returns undefined for any other text, including text that is cut off within quotes.
 */
export const csvTable = (text: string, isCsv = false): Table | undefined => {
  if (text.length > LONGEST_CSV) return undefined;
  // A tab first: texts in cells contain commas, but hardly tabs.
  for (const delimiter of isCsv ? (["\t", ",", ";"] as const) : ([","] as const)) {
    const [header, ...rows] = recordsOf(text, delimiter) ?? [];
    if (header && rows.length > 0 && (isCsv || looksLikeData(header, rows))) return tableFrom(header, rows);
  }
  return undefined;
};

const tableFrom = (header: readonly string[], rows: readonly (readonly string[])[]): Table => {
  const columns = uniqueNames(header);
  return {
    columns,
    rows: rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]]))),
    numbers: new Set(
      columns.filter((_, index) => rows.every((row) => NUMBER.test(row[index]!)) && rows.some((row) => row[index])),
    ),
  };
};

/** An empty cell, or a number, which is shown as it is written. A code such as `007` is a text. */
const NUMBER = /^(?:[-+]?(?:0|[1-9]\d*)(?:[.,]\d+)?%?)?$/;

const uniqueNames = (header: readonly string[]): readonly string[] => {
  const used = new Set<string>();
  header.forEach((cell, index) => {
    const name = cell.trim() || `Column ${index + 1}`;
    let unique = name;
    for (let count = 2; used.has(unique); count++) unique = `${name} (${count})`;
    used.add(unique);
  });
  return [...used];
};

/** Up to four words, and perhaps a unit: `name`, `unit_price`, `Build time (ms)`. */
const COLUMN_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_.%/#-]*(?: [\p{L}\p{M}\p{N}_.%/#-]+){0,3}(?: ?\([^()]*\))?$/u;
const LONGEST_NAME = 40;
const LONGEST_CELL = 400;

const looksLikeData = (header: readonly string[], rows: readonly (readonly string[])[]): boolean =>
  rows.length >= 2 &&
  new Set(header).size === header.length &&
  header.every((name) => name.length <= LONGEST_NAME && COLUMN_NAME.test(name)) &&
  // Prose has a space after a comma.
  rows.every((row) => row.every((cell) => cell.length <= LONGEST_CELL && cell === cell.trim()));

const PLAIN_CELL = { ",": /[^,"\r\n]*/y, ";": /[^;"\r\n]*/y, "\t": /[^\t"\r\n]*/y } as const;

/** Returns undefined at the first place that does not fit, so any other text costs little. */
const recordsOf = (text: string, delimiter: keyof typeof PLAIN_CELL): string[][] | undefined => {
  const plain = PLAIN_CELL[delimiter];
  const records: string[][] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let end = text.length;
  while (end > at && isLineEnd(text[end - 1])) end--;
  let record: string[] = [];
  for (;;) {
    if (text[at] === '"') {
      const close = closingQuote(text, at);
      if (close === -1) return undefined;
      record.push(text.slice(at + 1, close).replaceAll('""', '"'));
      at = close + 1;
    } else {
      plain.lastIndex = at;
      record.push(plain.exec(text)![0]);
      at = plain.lastIndex;
    }
    if (record.length > MOST_COLUMNS) return undefined;
    if (at < end && text[at] === delimiter) {
      at++;
      continue;
    }
    const lineEnd = at >= end ? 0 : text[at] === "\n" ? 1 : text.startsWith("\r\n", at) ? 2 : undefined;
    if (lineEnd === undefined || record.length < 2) return undefined;
    records.push(record);
    if (record.length !== records[0]!.length || records.length > MOST_ROWS) return undefined;
    if (lineEnd === 0) return records;
    at += lineEnd;
    record = [];
  }
};

const isLineEnd = (character: string | undefined): boolean => character === "\n" || character === "\r";

const closingQuote = (text: string, open: number): number => {
  let at = text.indexOf('"', open + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
};
