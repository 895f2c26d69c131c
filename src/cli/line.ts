import { clip, widthOf } from "./terminal-text.ts";

type Style = "plain" | "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Sanitized text and its style. */
export type Piece = string | readonly [style: Style, text: string];

export interface LineOptions {
  readonly width: number;
  readonly color: boolean;
}

/** One terminal line, cut at the width. `end` is always kept whole. The pieces before it are cut instead. */
export const line = (pieces: readonly Piece[], { width, color }: LineOptions, end: readonly Piece[] = []): string => {
  const endWidth = end.reduce((sum, piece) => sum + widthOf(textOf(piece)), 0);
  let left = width - endWidth;
  let text = "";
  for (const piece of pieces) {
    const cut = clip(textOf(piece), left);
    text += styled(piece, cut, color);
    left -= widthOf(cut);
  }
  left += endWidth;
  for (const piece of end) {
    const cut = clip(textOf(piece), left);
    text += styled(piece, cut, color);
    left -= widthOf(cut);
  }
  return text;
};

const textOf = (piece: Piece): string => (typeof piece === "string" ? piece : piece[1]);

const styled = (piece: Piece, text: string, color: boolean): string => {
  const style = typeof piece === "string" ? "plain" : piece[0];
  return !color || style === "plain" || text === "" ? text : `\x1b[${CODES[style]}m${text}\x1b[0m`;
};

const CODES = { bold: "1", dim: "2", red: "31", green: "32", yellow: "33", cyan: "36" } as const;
