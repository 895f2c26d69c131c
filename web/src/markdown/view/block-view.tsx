import { memo } from "react";
import type { Block } from "../block.ts";
import { visibleText } from "../visible-text.ts";
import { childrenOf } from "./block-children.tsx";
import { CodeLines } from "./code-lines.tsx";
import { CodeView } from "./code-view.tsx";
import { InlineView } from "./inline-view.tsx";
import { useMarkdown } from "./markdown-context.ts";
import { MathView } from "./math-view.tsx";
import { Row, TableView } from "./table-view.tsx";

export const BlockView = memo(({ block }: { readonly block: Block; readonly version: number }) => {
  switch (block.kind) {
    case "piece":
      if (block.parent!.kind === "code") return <CodeLines piece={block} />;
      return block.parent!.kind === "table" ? <Row row={block} /> : <Piece piece={block} />;
    case "paragraph":
      return (
        <p dir="auto" className={isEmpty(block) ? "md-empty" : undefined}>
          {childrenOf(block)}
        </p>
      );
    case "heading": {
      const Heading = `h${Math.min(6, block.level)}` as "h1";
      return <Heading dir="auto">{childrenOf(block)}</Heading>;
    }
    case "quote":
      return <blockquote>{childrenOf(block)}</blockquote>;
    case "list": {
      const loose = block.loose ? "md-loose" : "md-tight";
      if (block.mark.length === 1) return <ul className={loose}>{childrenOf(block)}</ul>;
      return (
        <ol className={loose} start={block.level}>
          {childrenOf(block)}
        </ol>
      );
    }
    case "item":
      return <Item item={block} />;
    case "rule":
      return <hr />;
    case "code":
      return <CodeView block={block} />;
    case "table":
      return <TableView block={block} />;
    case "math":
      if (block.level === 1) return <MathView text={block.text} display />;
      return <p className="md-source">{visibleText(block.text)}</p>;
    case "document":
      return childrenOf(block);
  }
});

const isEmpty = ({ children }: Block): boolean => children.length === 1 && children[0]!.text === "";

const TASK = /^\[([ xX])\](?=\s)/;

const taskOf = (item: Block): "done" | "to do" | undefined => {
  const first = item.children[0];
  const found = first?.kind === "paragraph" ? TASK.exec(first.children[0]!.text) : undefined;
  return found ? (found[1] === " " ? "to do" : "done") : undefined;
};

const Item = ({ item }: { readonly item: Block }) => {
  const task = taskOf(item);
  return (
    <li className={task && "md-task"}>
      {task && <input type="checkbox" checked={task === "done"} readOnly disabled aria-label={task} />}
      {childrenOf(item)}
    </li>
  );
};

const Piece = ({ piece }: { readonly piece: Block }) => {
  const inlines = useMarkdown().parser.inlines(piece);
  const isTask = piece.index === 0 && piece.parent!.index === 0 && piece.parent!.parent!.kind === "item";
  return <InlineView inlines={inlines} task={isTask && TASK.test(piece.text)} />;
};
