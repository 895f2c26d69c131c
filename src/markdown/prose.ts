import { type Block, createBlock, touch } from "./block.ts";

/** The growing text of a paragraph or heading. */
export interface Prose {
  /** Appends to the current line. */
  append(text: string): void;
  /** Ends the line. The next append starts a new one. */
  newLine(): void;
  /** The last line, or undefined if it started in an earlier piece and cannot be dropped. */
  lastLine(): string | undefined;
  dropLastLine(): void;
}

/** From this length on, a piece ends at the next white space where nothing is left open. */
const SOFT = 768;
/** From this length on, it ends at the next white space, and at twice this length anywhere. */
const HARD = 4096;

/**
 * Splits text into pieces of bounded length, so a token costs the parsing of one piece, however long the paragraph
 * is. Split points depend only on the text, not on how it was chunked. They are at white space where `balanced` reports
 * that no emphasis, link, code, or formula is open, so the pieces parse like the whole.
 */
export const createProse = (leaf: Block, balanced: (text: string) => boolean): Prose => {
  // The last white space character before other text, so both of its sides are known.
  const gap = /[ \n](?=[^ \n])/g;
  let piece = createBlock("piece", leaf);
  let candidate = SOFT;
  // The offset of the last line in the piece, or -1 if it started in an earlier one.
  let lineStart = 0;
  let ended = false;

  const cut = (length: number): void => {
    const rest = piece.text.slice(length);
    piece.text = piece.text.slice(0, length);
    piece.open = false;
    touch(piece);
    lineStart = lineStart >= length ? lineStart - length : -1;
    piece = createBlock("piece", leaf);
    piece.text = rest;
    candidate = SOFT;
  };

  const inTable = (length: number): boolean => {
    if (length >= HARD || lineStart < 0 || length <= lineStart) return false;
    const bar = piece.text.indexOf("|", lineStart);
    return bar >= 0 && bar < length;
  };

  const divide = (): void => {
    while (piece.text.length > candidate) {
      const { text } = piece;
      gap.lastIndex = candidate;
      const at = gap.exec(text)?.index ?? text.length;
      if (at >= HARD * 2) {
        const middle = /[\uD800-\uDBFF]/.test(text[HARD * 2 - 1]!);
        cut(middle ? HARD * 2 - 1 : HARD * 2);
      } else if (at >= text.length) return;
      else if (at >= HARD || (!inTable(at) && !maybeDefinition(text) && balanced(text.slice(0, at)))) cut(at + 1);
      else candidate = Math.ceil(at * 1.5);
    }
  };

  return {
    append(text) {
      if (text === "") return;
      if (ended) {
        lineStart = piece.text.length + 1;
        piece.text += `\n${text}`;
      } else piece.text += text;
      ended = false;
      if (piece.text.length > candidate) divide();
      touch(piece);
    },
    newLine() {
      ended = true;
    },
    lastLine: () => (lineStart < 0 ? undefined : piece.text.slice(lineStart)),
    dropLastLine() {
      piece.text = piece.text.slice(0, Math.max(0, lineStart - 1));
      touch(piece);
    },
  };
};

/** Whether a paragraph may start with a link definition. */
export const maybeDefinition = (text: string): boolean =>
  text.length < 2000 && /^\[(?:[^\]\\]|\\[^])*(?:\]:|\\?\]?$)/.test(text);
