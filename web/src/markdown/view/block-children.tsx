import { type ReactNode, memo } from "react";
import { type Block, LONG_RUN, RUN, longRunOf, runOf } from "../block.ts";
import { BlockView } from "./block-view.tsx";

interface Shown {
  readonly block: Block;
  /** Compared instead of the block, which is changed in place. */
  readonly version: number;
}

export const BlockChildren = memo(({ block }: Shown) => childrenOf(block));

/**
 * The children from `first` on. The first 32 stand alone, later ones in runs, and runs of runs, whose versions say whether
 * they changed: a new child among thousands costs the comparison of a few dozen numbers, and no child ever moves to another parent.
 */
export const childrenOf = (block: Block, first = 0): ReactNode[] => {
  const { children, runs, longRuns } = block;
  const shown = views(block, first, RUN);
  for (let from = RUN; from < Math.min(children.length, RUN + LONG_RUN); from += RUN)
    shown.push(<Run key={`run ${from}`} block={block} from={from} version={runs[runOf(from)]!} />);
  for (let from = RUN + LONG_RUN; from < children.length; from += LONG_RUN)
    shown.push(<LongRun key={`long ${from}`} block={block} from={from} version={longRuns[longRunOf(from)]!} />);
  return shown;
};

const views = ({ children }: Block, from: number, to: number): ReactNode[] => {
  const shown: ReactNode[] = [];
  for (let index = from; index < Math.min(to, children.length); index++)
    shown.push(<BlockView key={index} block={children[index]!} version={children[index]!.version} />);
  return shown;
};

const Run = memo(({ block, from }: Shown & { readonly from: number }) => views(block, from, from + RUN));

const LongRun = memo(({ block, from }: Shown & { readonly from: number }) => {
  const shown: ReactNode[] = [];
  for (let start = from; start < Math.min(from + LONG_RUN, block.children.length); start += RUN)
    shown.push(<Run key={start} block={block} from={start} version={block.runs[runOf(start)]!} />);
  return shown;
});
