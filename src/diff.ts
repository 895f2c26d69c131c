import type { Json } from "./events.ts";
import { fieldsOf } from "./json.ts";

/** A line of a diff, with its old and new line numbers if the diff has them. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  readonly text: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export interface FileDiff {
  readonly path: string;
  readonly change: "created" | "changed" | "deleted";
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

const HUNK = /^@@ (?:-(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? )?@@/;
const MAX_LINES = 20_000;

/** Parses a unified diff into files. Returns undefined if the text is not one. */
export const diffOf = (text: string): readonly FileDiff[] | undefined => {
  if (!/^(?:diff --git |Index: |--- )/.test(text)) return undefined;
  const lines = text.split("\n");
  if (lines.length > MAX_LINES) return undefined;
  const files: FileDiff[] = [];
  for (let at = 0; at < lines.length;) {
    const from = /^--- (.+?)(?:\t.*)?$/.exec(lines[at]!)?.[1];
    const to = /^\+\+\+ (.+?)(?:\t.*)?$/.exec(lines[at + 1] ?? "")?.[1];
    if (from === undefined || to === undefined) {
      if (files.length > 0 && lines[at] !== "" && !HEADER.test(lines[at]!)) return undefined;
      at++;
      continue;
    }
    const { shown, next } = readHunks(lines, at + 2);
    at = next;
    if (shown.length === 0) return undefined;
    files.push({
      path: plainPath(to === "/dev/null" ? from : to),
      change: from === "/dev/null" ? "created" : to === "/dev/null" ? "deleted" : "changed",
      lines: shown,
      added: shown.filter(({ kind }) => kind === "added").length,
      removed: shown.filter(({ kind }) => kind === "removed").length,
    });
  }
  return files.length > 0 ? files : undefined;
};

/** Lines that git writes between the files of a diff. */
const HEADER = /^(?:diff |index |Index: |=+$|new file|deleted file|old mode|new mode|similarity|rename |Binary )/;

const plainPath = (path: string): string => path.replace(/^[ab]\//, "");

const readHunks = (
  lines: readonly string[],
  start: number,
): { readonly shown: readonly DiffLine[]; readonly next: number } => {
  const shown: DiffLine[] = [];
  let before: number | undefined;
  let after: number | undefined;
  let isInside = false;
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const hunk = HUNK.exec(line);
    if (hunk) {
      isInside = true;
      before = hunk[1] === undefined ? undefined : Number(hunk[1]);
      after = hunk[2] === undefined ? undefined : Number(hunk[2]);
      if (shown.length > 0) shown.push({ kind: "gap", text: "", before: undefined, after: undefined });
      continue;
    }
    const isNextFile = line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ");
    if (!isInside || isNextFile || HEADER.test(line)) break;
    const [sign] = line;
    if (sign === "\\") continue;
    if (sign === "+") shown.push({ kind: "added", text: line.slice(1), before: undefined, after: after && after++ });
    else if (sign === "-")
      shown.push({ kind: "removed", text: line.slice(1), before: before && before++, after: undefined });
    else if (sign === " ")
      shown.push({ kind: "same", text: line.slice(1), before: before && before++, after: after && after++ });
    else break;
  }
  return { shown, next: at };
};

/**
 * The diffs in the arguments of an edit, which changes one file or several. Empty if there is anything else in the
 * arguments, or another path: what a user approves must not be hidden behind a diff.
 */
export const diffsIn = (value: Json | undefined): readonly string[] => {
  const { files, ...others } = fieldsOf(value);
  const isList = Array.isArray(files) && Object.keys(others).length === 0;
  const diffs = (isList ? files : [value]).map((edit) => {
    const { path, diff, ...rest } = fieldsOf(edit);
    const parsed = typeof diff === "string" && Object.keys(rest).length === 0 ? diffOf(diff) : undefined;
    return parsed && (path === undefined || parsed.every((file) => isPathOf(file, path))) ? diff : undefined;
  });
  return diffs.every((diff) => diff !== undefined) ? (diffs as string[]) : [];
};

const isPathOf = (file: FileDiff, path: unknown): boolean =>
  typeof path === "string" && `/${plainPath(path)}`.endsWith(`/${file.path.replace(/^\//, "")}`);
