import { stripVTControlCharacters } from "node:util";
import { widthOf } from "./terminal-text.ts";

/** The bottom of a terminal: settled lines that scroll away, and below them live lines that are redrawn. */
export interface Screen {
  size(): { readonly width: number; readonly height: number };
  draw(standing: readonly string[], moving: readonly string[]): void;
  close(): void;
}

export const createScreen = (output: NodeJS.WriteStream): Screen => {
  let drawn: readonly string[] = [];
  let before = "";
  output.write(HIDE_CURSOR);
  // A terminal of unknown size reports 0.
  const columns = () => output.columns || 80;
  const size = () => ({ width: Math.max(20, columns() - 1), height: Math.max(4, output.rows || 24) });

  return {
    size,
    draw: (standing, moving) => {
      const now = rowsOf(moving);
      if (standing.length === 0 && now === before) return;
      // If the terminal became narrower, it has wrapped the lines drawn before.
      const rows = drawn.reduce((sum, text) => sum + Math.max(1, Math.ceil(shownWidth(text) / columns())), 0);
      const back = rows > 0 ? `\x1b[${rows}A\r${ERASE_BELOW}` : "";
      output.write(BEGIN + back + rowsOf(standing) + now + END);
      drawn = moving;
      before = now;
    },
    close: () => void output.write(SHOW_CURSOR),
  };
};

const rowsOf = (lines: readonly string[]): string => lines.map((text) => `${text}\n`).join("");

const shownWidth = (text: string): number => widthOf(stripVTControlCharacters(text));

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const ERASE_BELOW = "\x1b[0J";
/** Terminals that support synchronized output show the frame without flicker. */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";
