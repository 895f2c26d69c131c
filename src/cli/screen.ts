import { stripVTControlCharacters } from "node:util";
import { widthOf } from "./terminal-text.ts";

/** The lower end of a terminal: lines that stand and scroll away, and below them some that are drawn over again. */
export interface Screen {
  size(): { readonly width: number; readonly height: number };
  draw(standing: readonly string[], moving: readonly string[]): void;
  close(): void;
}

export const createScreen = (output: NodeJS.WriteStream): Screen => {
  let drawn: readonly string[] = [];
  let before = "";
  output.write(HIDE_CURSOR);
  // A terminal that was never told its size says 0.
  const columns = () => output.columns || 80;
  const size = () => ({ width: Math.max(20, columns() - 1), height: Math.max(4, output.rows || 24) });

  return {
    size,
    draw: (standing, moving) => {
      const now = rowsOf(moving);
      if (standing.length === 0 && now === before) return;
      // A terminal that has become narrower has broken the lines that we drew.
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
/** Terminals that know this show the frame at once, without flicker. */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";
