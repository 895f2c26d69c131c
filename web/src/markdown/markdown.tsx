import { memo, useMemo, useRef } from "react";
import "./markdown.css";
import { type Reader, createReader } from "runcast/markdown";
import { BlockChildren } from "./view/block-view.tsx";
import { MarkdownContext } from "./view/markdown-context.ts";

export interface MarkdownProps {
  /** May only grow at its end; any other change reads it anew. */
  readonly text: string;
  /** Nothing will be added: what is still open is shown as it stands. */
  readonly done: boolean;
}

/** Markdown as it streams: the cost of a token does not depend on the text before it. Raw HTML is text. */
export const Markdown = memo((props: MarkdownProps) => <MarkdownView reader={useReader(props)} />);

/** A reader that has read the text, the same for as long as the text only grows. */
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
