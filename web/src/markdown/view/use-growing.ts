import { useEffect, useReducer, useRef } from "react";
import type { Block } from "runcast/markdown";
import { useMarkdown } from "./markdown-context.ts";

export interface Growing {
  /** The element whose last text node may grow. Undefined if it cannot right now. */
  readonly place: () => Element | null | undefined;
  /** The last text as currently shown. Undefined if the last node is not text. */
  readonly shown: string | undefined;
  /** The new last text. Undefined if something before it changed too, false if something around it did. */
  readonly next: () => string | undefined | false;
}

/**
 * Extends the last text of an open piece in place, without a render, and renders the piece if more than that has changed.
 * Before each render it restores the text that React wrote, because React only updates what it believes has changed.
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
