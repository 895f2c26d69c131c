import { createContext, useContext } from "react";
import type { Block, Reader } from "runcast/markdown";

interface MarkdownContextValue {
  readonly reader: Reader;
  /** The elements of paragraphs and headings. */
  readonly elements: WeakMap<Block, Element>;
}

export const MarkdownContext = createContext<MarkdownContextValue | undefined>(undefined);

export const useMarkdown = (): MarkdownContextValue => useContext(MarkdownContext)!;
