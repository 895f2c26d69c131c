import { type ReactNode, memo, useCallback } from "react";
import { type Block, ORDERS, RUN, taskOf, visibleText } from "runcast/markdown";
import { CodeLines } from "./code-lines.tsx";
import { CodeView } from "./code-view.tsx";
import { useMarkdown } from "./markdown-context.ts";
import { MathView } from "./math-view.tsx";
import { ProseView } from "./prose-view.tsx";
import { Row, TableView } from "./table-view.tsx";

interface BlockProps {
  readonly block: Block;
  /** Compared instead of the block, which changes in place. */
  readonly version: number;
}

export const BlockView = memo(({ block }: BlockProps) => {
  switch (block.kind) {
    case "piece":
      if (block.parent!.kind === "code") return <CodeLines piece={block} />;
      return block.parent!.kind === "table" ? <Row row={block} /> : <ProseView piece={block} />;
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
      return <CodeView block={block}>{childrenOf(block)}</CodeView>;
    case "table":
      return <TableView block={block}>{childrenOf(block, 1)}</TableView>;
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

/** The element of a paragraph or heading, registered for the pieces in it. */
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

const Item = ({ item }: { readonly item: Block }) => {
  const task = taskOf(item);
  return (
    <li className={task && "md-task"}>
      {task && <input type="checkbox" checked={task === "done"} readOnly disabled aria-label={task} />}
      {childrenOf(item)}
    </li>
  );
};

export const BlockChildren = memo(({ block }: BlockProps) => childrenOf(block));

/**
 * The children from `first` on. The first 8 are rendered individually, those up to the 64th in runs of 8, those up to
 * the 512th in runs of 64, and so on. The versions of runs tell whether they changed, so a new child among thousands
 * costs a few dozen number comparisons, and no child ever moves to another parent.
 */
const childrenOf = (block: Block, first = 0): ReactNode[] => {
  const { length } = block.children;
  const shown = views(block, first, RUN);
  for (let order = 1; order <= ORDERS; order++) {
    const size = RUN ** order;
    const end = order === ORDERS ? length : Math.min(length, size * RUN);
    for (let from = size; from < end; from += size) shown.push(runView(block, order, from));
  }
  return shown;
};

const views = ({ children }: Block, from: number, to: number): ReactNode[] => {
  const shown: ReactNode[] = [];
  for (let index = from; index < Math.min(to, children.length); index++)
    shown.push(<BlockView key={index} block={children[index]!} version={children[index]!.version} />);
  return shown;
};

const runView = (block: Block, order: number, from: number): ReactNode => (
  <Run
    key={`${order} ${from}`}
    block={block}
    order={order}
    from={from}
    version={block.runs[order]![from / RUN ** order]!}
  />
);

const Run = memo(({ block, order, from }: BlockProps & { readonly order: number; readonly from: number }) => {
  if (order === 1) return views(block, from, from + RUN);
  const shown: ReactNode[] = [];
  const size = RUN ** (order - 1);
  for (let start = from; start < Math.min(from + size * RUN, block.children.length); start += size)
    shown.push(runView(block, order - 1, start));
  return shown;
});
