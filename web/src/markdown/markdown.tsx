import { memo, useMemo, useRef } from "react";
import "./markdown.css";
import { type Reader, createReader } from "runcast/markdown";
import { BlockChildren } from "./view/block-view.tsx";
import { MarkdownContext } from "./view/markdown-context.ts";

export interface MarkdownProps {
  /** May only grow at its end. Any other change parses it from scratch. */
  readonly text: string;
  /** The text is complete. Markup that is still open is shown as is. */
  readonly done: boolean;
}

/** Streaming Markdown. The cost of a token does not depend on the text before it. Raw HTML is shown as text. */
export const Markdown = memo((props: MarkdownProps) => <MarkdownView reader={useReader(props)} />);

/** A reader of the text. The same object as long as the text only grows. */
export const useReader = ({ text, done }: MarkdownProps): Reader => {
  const reader = useRef<Reader>(undefined);
  if (!reader.current?.continues(text, done)) reader.current = createReader();
  reader.current.read(text, done);
  return reader.current;
};

export const MarkdownView = ({ reader }: { readonly reader: Reader }) => {
  const context = useMemo(() => ({ reader, elements: new WeakMap() }), [reader]);
  const { document } = reader.parser;
  return (
    <div className="markdown">
      <MarkdownContext value={context}>
        <BlockChildren block={document} version={document.version} />
      </MarkdownContext>
    </div>
  );
};
