import type { Json } from "runcast/events";
import { visibleText } from "runcast/view";

/** One line of a JSON tree. */
export interface JsonRow {
  /** Its location as a JSON Pointer. */
  readonly path: string;
  readonly depth: number;
  readonly key: string | undefined;
  readonly value: Json | undefined;
  /** The number of children. */
  readonly size: number;
  readonly isOpen: boolean;
}

/** The lines of a partially expanded value. The cost is proportional to what is shown. */
export const jsonRows = (
  value: Json | undefined,
  isOpen: (path: string, depth: number, size: number) => boolean,
): JsonRow[] => {
  const rows: JsonRow[] = [];
  const walk = (at: Json | undefined, key: string | undefined, path: string, depth: number): void => {
    const size = sizeOf(at);
    const open = size > 0 && depth < DEEPEST && isOpen(path, depth, size);
    rows.push({ path, depth, key, value: at, size, isOpen: open });
    if (!open) return;
    if (Array.isArray(at))
      for (const [index, item] of at.entries()) walk(item, `${index}`, `${path}/${index}`, depth + 1);
    else
      for (const [name, item] of Object.entries(at as Record<string, Json>))
        walk(item, name, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1);
  };
  walk(value, undefined, "", 0);
  return rows;
};

const DEEPEST = 200;

const sizeOf = (value: Json | undefined): number =>
  typeof value !== "object" || value === null ? 0 : Array.isArray(value) ? value.length : Object.keys(value).length;

const LONGEST = 300;
const PREVIEW = 80;

/** A value on one line. A collapsed container shows its size and first items, and a long text its beginning. */
export const jsonLine = (value: Json | undefined, size: number, isOpen = false): string => {
  if (typeof value === "object" && value !== null) {
    const count = Array.isArray(value) ? `[${size || ""}]` : `{${size || ""}}`;
    return size === 0 || isOpen ? count : `${count} ${previewOf(value)}`;
  }
  if (typeof value !== "string") return String(value);
  return visibleText(JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value));
};

/** The first few items of a container. Reads no more than it shows. */
const previewOf = (container: object): string => {
  let text = "";
  for (const key in container) {
    if (!Object.hasOwn(container, key)) continue;
    const item = (container as Record<string, Json>)[key];
    const name = Array.isArray(container) ? "" : `${visibleText(key)}: `;
    text += `${text === "" ? "" : ", "}${name}${typeof item === "object" && item !== null ? (Array.isArray(item) ? "[…]" : "{…}") : jsonLine(item, 0).slice(0, 30)}`;
    if (text.length > PREVIEW) return `${text.slice(0, PREVIEW)}…`;
  }
  return text;
};
