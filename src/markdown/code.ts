import { type Block, createBlock, touch } from "./block.ts";

/** The growing lines of a code block. */
export interface Code {
  append(text: string): void;
  newLine(): void;
}

const LINES = 32;
const LENGTH = 4096;

/** Splits code into pieces of several lines each. An overlong line is split across pieces. */
export const createCode = (leaf: Block): Code => {
  let piece: Block | undefined;
  let lines = 0;
  let begins = true;

  const next = (): Block => {
    if (piece) {
      piece.open = false;
      touch(piece);
    }
    lines = 0;
    return (piece = createBlock("piece", leaf));
  };

  return {
    append(text) {
      if (!piece || (begins && (lines >= LINES || piece.text.length >= LENGTH))) next();
      begins = false;
      let rest = text;
      while (piece!.text.length + rest.length > LENGTH * 2) {
        const joined = piece!.text + rest;
        const end = /[\uD800-\uDBFF]/.test(joined[LENGTH * 2 - 1]!) ? LENGTH * 2 - 1 : LENGTH * 2;
        piece!.text = joined.slice(0, end);
        next();
        rest = joined.slice(end);
      }
      piece!.text += rest;
      touch(piece!);
    },
    newLine() {
      if (begins) this.append("");
      begins = true;
      lines++;
      piece!.text += "\n";
      touch(piece!);
    },
  };
};
