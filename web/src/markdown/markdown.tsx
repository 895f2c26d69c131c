import { memo, useMemo, useRef } from "react";
import "./markdown.css";
import { type MarkdownParser, createParser } from "./parser.ts";
import { BlockChildren } from "./view/block-children.tsx";
import { MarkdownContext } from "./view/markdown-context.ts";

export interface MarkdownProps {
  /** May only grow at its end; any other change reads it anew. */
  readonly text: string;
  /** Nothing will be added: what is still open is shown as it stands. */
  readonly done: boolean;
  /** Called instead of opening a link, with its target. */
  readonly onLink?: (url: string) => void;
}

/** Markdown as it streams: the cost of a token does not depend on the text before it. Raw HTML is text. */
export const Markdown = memo(({ text, done, onLink }: MarkdownProps) => {
  const reader = useRef<Reader>(undefined);
  if (!reader.current?.continues(text, done)) reader.current = createReader();
  const { parser } = reader.current;
  reader.current.read(text, done);
  const context = useMemo(() => ({ parser, onLink }), [parser, onLink]);
  return (
    <div className="markdown">
      <MarkdownContext value={context}>
        <BlockChildren block={parser.document} version={parser.document.version} />
      </MarkdownContext>
    </div>
  );
});

interface Reader {
  readonly parser: MarkdownParser;
  continues(text: string, done: boolean): boolean;
  read(text: string, done: boolean): void;
}

/** How much of the end of what was read is compared to notice that it is another text. */
const COMPARED = 64;

/** Feeds a parser with what a text has grown by. Reading the same twice does nothing, as rendering twice must. */
const createReader = (): Reader => {
  const parser = createParser();
  let length = 0;
  let end = "";
  let ended = false;
  return {
    parser,
    continues: (text, done) =>
      text.length >= length && text.startsWith(end, length - end.length) && !(ended && (!done || text.length > length)),
    read(text, done) {
      if (text.length > length) {
        parser.write(copied(text.slice(length)));
        length = text.length;
        end = copied(text.slice(-COMPARED));
      }
      if (done && !ended) {
        ended = true;
        parser.end();
      }
    },
  };
};

/** A slice keeps all of the text it was cut from in memory, and each frame has another text. */
const copied = (text: string): string => ` ${text}`.slice(1);
