import { type Indent, indentOf } from "./indent.ts";
import { type Alignment } from "./block.ts";
import { unescaped } from "./inline/destination.ts";
import { cellsOf, delimitersOf } from "./table.ts";

/** A container that a line may continue: a quote, or an item whose content is indented by `indent` columns. */
export interface Container {
  readonly kind: "quote" | "item";
  readonly indent: number;
  /** An item without content ends at the first blank line. */
  readonly empty: boolean;
}

/** What is open at the start of a line. */
export interface Before {
  readonly containers: readonly Container[];
  readonly leaf: "none" | "paragraph" | "fence" | "indented" | "table" | "math";
  /** The fence that would close the code, or the mark that would close the formula. */
  readonly fence: { readonly mark: string; readonly indent: number };
  /** The paragraph's last line, if it may become a table head. */
  readonly head: () => string | undefined;
}

export type Opening =
  | { readonly kind: "quote" }
  | { readonly kind: "item"; readonly mark: string; readonly start: number; readonly indent: number };

export type Leaf =
  | { readonly kind: "blank" | "text" | "code" | "indented" | "fence-end" | "rule" }
  | { readonly kind: "heading" | "underline"; readonly level: number }
  | { readonly kind: "fence"; readonly mark: string; readonly indent: number; readonly info: string }
  | { readonly kind: "delimiters"; readonly align: readonly Alignment[] }
  | { readonly kind: "math"; readonly mark: string; readonly closed: boolean }
  | { readonly kind: "math-line"; readonly closed: boolean };

/** The structure of a line: how many containers continue, which ones start, and the content of the innermost one. */
export interface Line {
  readonly matched: number;
  readonly opened: readonly Opening[];
  readonly leaf: Leaf;
  readonly text: string;
}

/** A line that is still undecided after this many characters is text. */
const DECIDED = 1000;
/** The maximum nesting of containers. Further markers are text. */
const DEPTH = 24;

/**
 * Reads the structure of a line, or of an incomplete one (`complete` is false). For an incomplete line, returns undefined
 * while further characters could change the result. Any other result holds for every line that starts this way.
 */
export const scan = (line: string, before: Before, complete: boolean): Line | undefined => {
  const long = line.length > DECIDED;
  const ends = complete && !long;
  const waits = !complete && !long;
  const cursor = indentOf(long ? line.slice(0, DECIDED) : line);
  const tail = long ? line.slice(DECIDED) : "";
  const rest = (): string => cursor.rest() + tail;
  const { containers } = before;

  let matched = 0;
  for (const container of containers) {
    if (cursor.char === "" && waits) return undefined;
    if (container.kind === "quote") {
      if (cursor.columns > 3 || cursor.char !== ">") break;
      cursor.skip(cursor.columns);
      cursor.take(1);
      cursor.skip(1);
    } else if (cursor.char === "") {
      if (container.empty) break;
      cursor.skip(cursor.columns);
    } else if (cursor.columns >= container.indent) cursor.skip(container.indent);
    else break;
    matched++;
  }
  const all = matched === containers.length;
  const opened: Opening[] = [];
  const answer = (leaf: Leaf, text = ""): Line => ({ matched, opened, leaf, text });
  if (cursor.char === "" && waits) return undefined;

  if (all && before.leaf === "fence") {
    const { mark, indent } = before.fence;
    const end = fenceEnd(cursor, rest().trimStart(), mark);
    if (end && waits) return undefined;
    if (end === "end" && ends) return answer({ kind: "fence-end" });
    cursor.skip(Math.min(indent, cursor.columns));
    return answer({ kind: "code" }, rest());
  }
  if (all && before.leaf === "math" && cursor.char !== "") {
    if (waits) return undefined;
    const text = rest().trimStart();
    const closed = ends && text.trimEnd().endsWith(before.fence.mark);
    return answer({ kind: "math-line", closed }, closed ? text.trimEnd().slice(0, -before.fence.mark.length) : text);
  }
  if (all && before.leaf === "indented" && (cursor.columns >= 4 || cursor.char === "")) {
    cursor.skip(4);
    return answer({ kind: "code" }, rest());
  }

  for (;;) {
    const { char, columns } = cursor;
    if (char === "")
      return waits ? undefined : ends ? answer({ kind: "blank" }) : answer({ kind: "text" }, tail.trimStart());
    const continues = before.leaf === "paragraph" && opened.length === 0;
    if (columns >= 4) {
      if (continues) return answer({ kind: "text" }, rest().trimStart());
      cursor.skip(4);
      return answer({ kind: "indented" }, rest());
    }
    cursor.skip(columns);
    const text = rest();
    const deep = matched + opened.length >= DEPTH;
    const start = startOf(char, text, { columns, ends, waits, under: continues && all ? before : undefined });
    if (start === undefined) return undefined;
    if (start.kind === "quote" && !deep) {
      opened.push(start);
      cursor.take(1);
      cursor.skip(1);
    } else if (start.kind === "item" && !deep) {
      const width = start.mark.length === 1 ? 1 : /^\d+/.exec(text)![0].length + 1;
      cursor.take(width);
      const gap = cursor.char === "" ? 1 : cursor.columns > 4 ? 1 : cursor.columns;
      cursor.skip(gap);
      opened.push({ ...start, indent: columns + width + gap });
    } else if (start.kind === "heading") return answer(start, text.slice(start.level).trimStart());
    else if (start.kind === "math") return answer(start, mathText(text, start.mark, start.closed));
    else return answer(start.kind === "quote" || start.kind === "item" ? { kind: "text" } : start, text);
  }
};

const fenceEnd = (cursor: Indent, text: string, mark: string): "end" | "maybe" | undefined => {
  if (cursor.columns > 3) return undefined;
  let run = 0;
  while (text[run] === mark[0]) run++;
  if (run < text.trimEnd().length) return undefined;
  return run >= mark.length ? "end" : run === text.length ? "maybe" : undefined;
};

interface Around {
  readonly columns: number;
  readonly ends: boolean;
  readonly waits: boolean;
  /** Set inside a paragraph, where the line may be a heading underline or a table's delimiter row. */
  readonly under: Before | undefined;
}

type Start = Exclude<Leaf, { kind: "blank" | "code" | "indented" | "fence-end" | "math-line" }> | Opening;
const TEXT: Start = { kind: "text" };

const startOf = (char: string, text: string, around: Around): Start | undefined => {
  const { ends, waits, under } = around;
  if (char === ">") return { kind: "quote" };
  if (char === "#") {
    const level = /^#+/.exec(text)![0].length;
    if (waits && text.slice(level).trim() === "" && level <= 6) return undefined;
    if (level <= 6 && (/[ \t]/.test(text[level] ?? "") || (ends && level === text.length)))
      return { kind: "heading", level };
    return TEXT;
  }
  if (char === "`" || char === "~") return fenceStart(char, text, around);
  if (char === "$" || char === "\\") return mathStart(char, text, around);
  if (under && /^[=\-|:]/.test(char) && /^[=\-|: \t]*$/.test(text)) {
    if (waits) return undefined;
    if (ends && /^(?:=+|-+)[ \t]*$/.test(text)) return { kind: "underline", level: char === "=" ? 1 : 2 };
    const align = ends ? delimitersOf(text) : undefined;
    const head = align && under.head();
    if (align && head !== undefined && cellsOf(head).length === align.length) return { kind: "delimiters", align };
  }
  if (char === "-" || char === "*" || char === "_") {
    const bare = text.replaceAll(/[ \t]/g, "");
    if (bare === char.repeat(bare.length)) {
      if (waits) return undefined;
      if (ends && bare.length >= 3) return { kind: "rule" };
    }
  }
  return itemStart(text, around);
};

/** A list item marker: `-`, `+`, and `*` unchanged, a number as `1.` or `1)`. */
const itemStart = (text: string, { ends, waits, under }: Around): Start | undefined => {
  const mark = /^(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(text);
  if (!mark) return waits && /^\d{1,9}$/.test(text) ? undefined : TEXT;
  const empty = text.slice(mark[0].length).trim() === "";
  if (empty && !ends) return waits ? undefined : TEXT;
  const start = mark[1] ? 0 : Number(mark[2]);
  if (under && (empty || (!mark[1] && start !== 1))) return TEXT;
  return { kind: "item", mark: mark[1] ?? `1${mark[3]}`, start, indent: 0 };
};

const fenceStart = (char: string, text: string, { columns, ends, waits }: Around): Start | undefined => {
  let run = 0;
  while (text[run] === char) run++;
  if (run < 3 && run < text.length) return TEXT;
  const info = text.slice(run);
  if (char === "`" && info.includes("`")) return TEXT;
  if (waits) return undefined;
  if (!ends || run < 3) return TEXT;
  return { kind: "fence", mark: char.repeat(run), indent: columns, info: unescaped(info.trim()) };
};

const mathStart = (char: string, text: string, { ends, waits }: Around): Start | undefined => {
  const [begin, mark] = char === "$" ? ["$$", "$$"] : ["\\[", "\\]"];
  if (text.length < 2) return waits ? undefined : TEXT;
  if (!text.startsWith(begin)) return TEXT;
  const close = text.indexOf(mark, 2);
  if (close >= 0 && text.slice(close + 2).trim() !== "") return TEXT;
  if (waits) return undefined;
  if (!ends || close === 2) return TEXT;
  // `\[` is also an escaped bracket. It opens a formula only if that closes on the same line, or if neither text nor the
  // bracket's counterpart follows on this line.
  if (char === "\\" && close < 0 && /^(?:\S|[^[]*\])/.test(text.slice(2))) return TEXT;
  return { kind: "math", mark, closed: close > 0 };
};

const mathText = (text: string, mark: string, closed: boolean): string => {
  const inner = text.slice(2).trim();
  return (closed ? inner.slice(0, -mark.length) : inner).trim();
};
