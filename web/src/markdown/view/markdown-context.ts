import { createContext, useContext } from "react";
import type { Block } from "../block.ts";
import type { Reader } from "../reader.ts";

interface MarkdownContextValue {
  readonly reader: Reader;
  readonly onLink: ((url: string) => void) | undefined;
  /** The elements of paragraphs and headings. */
  readonly elements: WeakMap<Block, Element>;
}

export const MarkdownContext = createContext<MarkdownContextValue | undefined>(undefined);

export const useMarkdown = (): MarkdownContextValue => useContext(MarkdownContext)!;
