import type { Json } from "../events.ts";
import { parseJson } from "../json.ts";

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly [column: string]: Json | undefined }[];
  /** Columns of texts that are all numbers. */
  readonly numbers?: ReadonlySet<string>;
}

const MAX_COLUMNS = 12;
const LONGEST_CELL = 400;

/** Returns a list of flat objects with mostly the same fields as a table, or undefined for any other value. */
export const tableOf = (value: Json | undefined): Table | undefined => {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const columns = new Set<string>();
  let cells = 0;
  for (const row of value) {
    if (typeof row !== "object" || row === null || Array.isArray(row)) return undefined;
    const entries = Object.entries(row);
    if (entries.length === 0 || !entries.every(([, cell]) => isFlat(cell))) return undefined;
    cells += entries.length;
    for (const [name] of entries) columns.add(name);
    if (columns.size > MAX_COLUMNS) return undefined;
  }
  // Rows with few fields in common would leave most cells empty.
  if (cells < columns.size * value.length * 0.6) return undefined;
  return { columns: [...columns], rows: value as Table["rows"] };
};

const isFlat = (cell: Json | undefined): boolean =>
  typeof cell === "string" ? cell.length <= LONGEST_CELL : typeof cell !== "object" || cell === null;

export type TextShape = "json" | "markdown" | "plain";

const LOOKED_AT = 20_000;
const LONGEST_JSON = 2_000_000;

/** Guesses the format of a tool's text. Views must also offer the raw text. */
export const shapeOfText = (text: string): TextShape => {
  if (text.length <= LONGEST_JSON && parsed(text) !== undefined) return "json";
  const beginning = text.slice(0, LOOKED_AT);
  return MARKDOWN.some((sign) => sign.test(beginning)) ? "markdown" : "plain";
};

const MARKDOWN = [
  /^#{1,6} \S/m,
  /^```/m,
  /^\|.*\|\s*\n\|[\s:|-]+\|/m,
  /^(?:[-*] \S.*\n+){2}/m,
  /\[[^\]\n]+\]\((?:https?:\/\/|\.{0,2}\/)[^)\s]+\)/,
  /\*\*[^*\s][^*\n]*\*\*/,
];

/** Parses a text that is a JSON object or array. */
export const parsed = (text: string): Json | undefined => {
  const trimmed = text.trim();
  return /^(?:\{[^]*\}|\[[^]*\])$/.test(trimmed) ? parseJson(trimmed) : undefined;
};

/** How a file can be previewed in place. */
export const fileShape = (
  mediaType: string | undefined,
  name = "",
): "image" | "json" | "csv" | "markdown" | "html" | "text" | "other" => {
  const type = (mediaType ?? "").split(";")[0]!.trim().toLowerCase();
  if (/^image\/(?:png|jpeg|gif|webp|avif|svg\+xml|bmp)$/.test(type)) return "image";
  if (type === "application/json" || type.endsWith("+json")) return "json";
  if (CSV_TYPES.has(type) || /\.(?:csv|tsv)$/i.test(name)) return "csv";
  if (type === "text/markdown" || /\.(?:md|markdown)$/i.test(name)) return "markdown";
  if (type === "text/html") return "html";
  if (type.startsWith("text/") || TEXT_TYPES.has(type)) return "text";
  return "other";
};

const CSV_TYPES: ReadonlySet<string> = new Set(["text/csv", "application/csv", "text/tab-separated-values"]);

const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/xml",
  "application/javascript",
  "application/x-sh",
  "application/yaml",
  "application/toml",
  "application/sql",
  "application/x-ndjson",
]);
