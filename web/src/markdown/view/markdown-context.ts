import { createContext, useContext } from "react";
import type { MarkdownParser } from "../parser.ts";

interface MarkdownView {
  readonly parser: MarkdownParser;
  readonly onLink: ((url: string) => void) | undefined;
}

export const MarkdownContext = createContext<MarkdownView | undefined>(undefined);

export const useMarkdown = (): MarkdownView => useContext(MarkdownContext)!;
