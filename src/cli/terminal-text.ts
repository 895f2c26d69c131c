import { stripVTControlCharacters } from "node:util";
import { visibleText } from "../view.ts";

/**
 * Sanitizes text from a model or a tool for the terminal: removes escape sequences and control characters (line breaks
 * stay, tabs become spaces). Characters that hide or reorder text are made visible, as in every view.
 */
export const terminalText = (text: string): string =>
  SAFE.test(text)
    ? text
    : visibleText(
        stripVTControlCharacters(text)
          .toWellFormed()
          .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, "\n")
          .replaceAll("\t", "    ")
          .replace(CONTROL, ""),
      );

/** The same, on one line. */
export const oneLine = (text: string): string => terminalText(text).replace(/\s+/g, " ").trim();

// eslint-disable-next-line no-control-regex
const SAFE = /^[\n\x20-\x7e]*$/;
/** All control characters except the line feed. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g;

/** The number of terminal columns a text takes. */
export const widthOf = (text: string): number => {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment);
  return width;
};

/** Returns the text, or as much of it as fits, with an ellipsis. */
export const clip = (text: string, width: number): string => {
  if (text.length <= width && ASCII.test(text)) return text;
  if (width <= 0) return "";
  let used = 0;
  let kept = "";
  let fitting = "";
  for (const { segment } of segmenter.segment(text)) {
    used += segmentWidth(segment);
    if (used > width) return `${fitting}…`;
    kept += segment;
    if (used <= width - 1) fitting = kept;
  }
  return kept;
};

/** Wraps text to `width` columns, at word boundaries where possible. Drops the spaces at a break. */
export const wrap = (text: string, width: number): string[] =>
  text.split("\n").flatMap((line) => wrapLine(line, width));

const wrapLine = (line: string, width: number): string[] => {
  if (line.length * 2 <= width || (line.length <= width && ASCII.test(line))) return [line];
  const lines: string[] = [];
  let current = "";
  let used = 0;
  const breakHere = () => {
    lines.push(current.trimEnd());
    current = "";
    used = 0;
  };
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    const wide = widthOf(word);
    if (used + wide > width && used > 0) {
      breakHere();
      if (word.trim() === "") continue;
    }
    if (wide <= width) {
      current += word;
      used += wide;
      continue;
    }
    for (const { segment } of segmenter.segment(word)) {
      const columns = segmentWidth(segment);
      if (used + columns > width && used > 0) breakHere();
      current += segment;
      used += columns;
    }
  }
  if (current.trimEnd() !== "" || lines.length === 0) lines.push(current.trimEnd());
  return lines;
};

const ASCII = /^[\x20-\x7e]*$/;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

const segmentWidth = (segment: string): number => {
  if (/^[\p{Mark}\u200b-\u200d\ufeff]+$/u.test(segment)) return 0;
  return WIDE.test(segment) ? 2 : 1;
};

const WIDE =
  /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
