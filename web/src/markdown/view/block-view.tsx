import { type ReactNode, memo, useCallback } from "react";
import { type Block, type Inline, visibleText } from "runcast/markdown";
import { childrenOf } from "./block-children.tsx";
import { CodeLines } from "./code-lines.tsx";
import { CodeView } from "./code-view.tsx";
import { InlineView } from "./inline-view.tsx";
import { useMarkdown } from "./markdown-context.ts";
import { MathView } from "./math-view.tsx";
import { Row, TableView } from "./table-view.tsx";
import { useGrowing } from "./use-growing.ts";

export const BlockView = memo(({ block }: { readonly block: Block; readonly version: number }) => {
  switch (block.kind) {
    case "piece":
      if (block.parent!.kind === "code") return <CodeLines piece={block} />;
      return block.parent!.kind === "table" ? <Row row={block} /> : <Piece piece={block} />;
    case "paragraph":
      return (
        <Leaf block={block} as="p">
          {childrenOf(block)}
        </Leaf>
      );
    case "heading": {
      return (
        <Leaf block={block} as={`h${Math.min(6, block.level)}` as "h1"}>
          {childrenOf(block)}
        </Leaf>
      );
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

interface LeafProps {
  readonly block: Block;
  readonly as: "p" | "h1";
  readonly children: ReactNode;
}

/** The element of a paragraph or heading, known to the pieces in it. */
const Leaf = ({ block, as: Element, children }: LeafProps) => {
  const { elements } = useMarkdown();
  const hold = useCallback(
    (element: HTMLElement | null) => {
      if (element) elements.set(block, element);
    },
    [elements, block],
  );
  return (
    <Element ref={hold} dir="auto" className={isEmpty(block) ? "md-empty" : undefined}>
      {children}
    </Element>
  );
};

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
  const { reader, elements } = useMarkdown();
  const inlines = reader.parser.inlines(piece);
  const isFirst = piece.index === 0 && piece.parent!.index === 0 && piece.parent!.parent!.kind === "item";
  const task = isFirst && TASK.test(piece.text);
  useGrowing(piece, {
    place: () => elements.get(piece.parent!),
    shown: task ? undefined : lastText(inlines),
    next: () => {
      if (isFirst && TASK.test(piece.text) !== task) return false;
      const now = reader.parser.inlines(piece);
      return isSameBeforeLast(inlines, now) ? lastText(now) : undefined;
    },
  });
  return <InlineView inlines={inlines} task={task} />;
};

const lastText = (inlines: readonly Inline[]): string | undefined => {
  const last = inlines.at(-1);
  return last?.kind === "text" ? visibleText(last.text) : undefined;
};

const isSameBeforeLast = (one: readonly Inline[], other: readonly Inline[]): boolean =>
  one.length === other.length &&
  one.every((inline, index) => index === one.length - 1 || isSame(inline, other[index]!));

const isSame = (one: Inline, other: Inline): boolean => {
  for (const key of Object.keys(one) as (keyof Inline)[]) {
    const value: unknown = one[key];
    const beside: unknown = other[key];
    if (!Array.isArray(value)) {
      if (value !== beside) return false;
    } else if (!Array.isArray(beside) || beside.length !== value.length) return false;
    else if (!value.every((child: Inline, index) => isSame(child, beside[index] as Inline))) return false;
  }
  return true;
};
