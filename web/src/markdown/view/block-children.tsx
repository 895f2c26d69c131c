import { type ReactNode, memo } from "react";
import { type Block, ORDERS, RUN } from "runcast/markdown";
import { BlockView } from "./block-view.tsx";

interface Shown {
  readonly block: Block;
  /** Compared instead of the block, which is changed in place. */
  readonly version: number;
}

export const BlockChildren = memo(({ block }: Shown) => childrenOf(block));

/**
 * The children from `first` on. The first 8 stand alone, those up to the 64th in runs of 8, those up to the 512th in runs of
 * 64, and so on, and the versions of runs say whether they changed: a new child among thousands costs the comparison of a few
 * dozen numbers, and no child ever moves to another parent.
 */
export const childrenOf = (block: Block, first = 0): ReactNode[] => {
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

const Run = memo(({ block, order, from }: Shown & { readonly order: number; readonly from: number }) => {
  if (order === 1) return views(block, from, from + RUN);
  const shown: ReactNode[] = [];
  const size = RUN ** (order - 1);
  for (let start = from; start < Math.min(from + size * RUN, block.children.length); start += size)
    shown.push(runView(block, order - 1, start));
  return shown;
});
