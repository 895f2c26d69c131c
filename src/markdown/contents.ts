import type { Block } from "./block.ts";
import type { Definitions } from "./definitions.ts";
import { type Inline, parseInline } from "./inline.ts";
import { maybeDefinition } from "./prose.ts";
import { cellsOf } from "./table.ts";

/** The parsed content of pieces. Parsed on demand, and again only after a change. */
export interface Contents {
  /** The content of a piece of prose. */
  inlines(piece: Block): readonly Inline[];
  /** The content of the cells of a table row. */
  cells(row: Block): readonly (readonly Inline[])[];
}

export const createContents = (definitions: Definitions): Contents => {
  const inlines = new WeakMap<Block, { readonly version: number; readonly content: readonly Inline[] }>();
  const cells = new WeakMap<Block, { readonly version: number; readonly content: readonly (readonly Inline[])[] }>();
  const read = (text: string, piece: Block): readonly Inline[] =>
    parseInline(text, { definitions, missed: (label) => definitions.await(label, piece), open: piece.open }).inlines;

  return {
    inlines(piece) {
      const known = inlines.get(piece);
      if (known?.version === piece.version) return known.content;
      const content = read(shownText(piece), piece);
      inlines.set(piece, { version: piece.version, content });
      return content;
    },
    cells(row) {
      const known = cells.get(row);
      if (known?.version === row.version) return known.content;
      const columns = cellsOf(row.text).slice(0, row.parent!.align.length);
      const content = columns.map((cell) => read(cell, row));
      cells.set(row, { version: row.version, content });
      return content;
    },
  };
};

/** The displayable text of an open piece. Omits what may become a table head, a definition, or a heading's closing sequence. */
const shownText = (piece: Block): string => {
  const { text } = piece;
  if (piece.parent!.kind === "heading") return text.replace(/(?:^|[ \t])#+[ \t]*$/, "");
  if (!piece.open) return text;
  if (piece.index === 0 && maybeDefinition(text) && /^\[[^\]]*\]:/.test(text)) return "";
  const line = text.lastIndexOf("\n") + 1;
  return text[line] === "|" ? text.slice(0, line) : text;
};
