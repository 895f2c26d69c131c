import { useEffect, useReducer, useRef } from "react";
import type { Block } from "runcast/markdown";
import { useMarkdown } from "./markdown-context.ts";

export interface Growing {
  /** The element whose last text may grow; undefined if it cannot now. */
  readonly place: () => Element | null | undefined;
  /** The last text as it is shown; undefined if what is last is no text. */
  readonly shown: string | undefined;
  /** The last text as it is now; undefined if anything before it has changed too, false if anything around it has. */
  readonly next: () => string | undefined | false;
}

/**
 * Lets the last text of an open piece grow in its place, without a rendering, and has the piece rendered where more than that
 * has changed. Before each rendering the text is again as React left it: React changes only what it believes to be different.
 */
export const useGrowing = (piece: Block, growing: Growing): void => {
  const { reader } = useMarkdown();
  const [, again] = useReducer((count: number) => count + 1, 0);
  const grown = useRef<{ readonly node: Text; readonly was: string; readonly now: string }>(undefined);
  if (grown.current) {
    grown.current.node.data = grown.current.was;
    grown.current = undefined;
  }
  const latest = useRef(growing);
  useEffect(() => {
    latest.current = growing;
  });
  const { open } = piece;
  useEffect(() => {
    if (!open) return;
    return reader.watch(piece, () => {
      const { place, shown, next } = latest.current;
      const text = next();
      if (text === false) return false;
      const node = shown ? place()?.lastChild : undefined;
      if (text !== undefined && node instanceof Text && node.data === (grown.current?.now ?? shown)) {
        grown.current = { node, was: shown!, now: text };
        node.data = text;
      } else again();
      return true;
    });
  }, [reader, piece, open]);
};
