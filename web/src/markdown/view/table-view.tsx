import type { ReactNode } from "react";
import type { Block } from "runcast/markdown";
import { InlineView } from "./inline-view.tsx";
import { useMarkdown } from "./markdown-context.ts";
import { type Growing, useGrowing } from "./use-growing.ts";

interface TableViewProps {
  readonly block: Block;
  /** The rows below the head. */
  readonly children: ReactNode;
}

export const TableView = ({ block, children }: TableViewProps) => (
  // Makes a table that is wider than the page scrollable, even with the keyboard.
  <div className="md-scroll" role="group" aria-label="Table" tabIndex={0}>
    <table>
      <thead>
        <Row row={block.children[0]!} />
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

/** A row renders again when it grows, but nothing around it does. */
const NOTHING: Growing = { place: () => undefined, shown: undefined, next: () => undefined };

export const Row = ({ row }: { readonly row: Block }) => {
  const cells = useMarkdown().reader.parser.cells(row);
  useGrowing(row, NOTHING);
  const Cell = row.index === 0 ? "th" : "td";
  return (
    <tr>
      {row.parent!.align.map((align, column) => (
        <Cell key={column} dir="auto" className={align && `md-${align}`} scope={row.index === 0 ? "col" : undefined}>
          <InlineView inlines={cells[column] ?? []} />
        </Cell>
      ))}
    </tr>
  );
};
