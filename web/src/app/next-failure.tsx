import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { RunState } from "runcast/state";
import { createOutline, type Outline } from "runcast/view";
import { IconCross } from "../kit/icons.tsx";
import { placeOf } from "../run/jump.ts";
import { useRunIndexes } from "../run/use-run-indexes.ts";
import { usePage } from "../session/page-context.ts";

interface Failure {
  readonly run: RunState;
  /** The target of its row in the outline. */
  readonly node: string;
}

export interface NextFailureProps {
  /** In order. The same array while its content is unchanged. */
  readonly runs: readonly RunState[];
  /** Whether `runs` is complete. */
  readonly isReady: boolean;
  /** How often the user asked for the next failure. */
  readonly wanted: number;
  readonly scroller: RefObject<HTMLElement | null>;
  /** The element that contains a run. */
  readonly homeOf: (run: RunState) => HTMLElement | null;
  /** Asks for the next failure. Without it, there is no button. */
  readonly onFind: (() => void) | undefined;
  readonly onJump: (run: RunState, node: string) => void;
}

/** Goes to the failures in the outlines of runs, one after the other. */
export const NextFailure = ({ runs, isReady, wanted, scroller, homeOf, onFind, onJump }: NextFailureProps) => {
  const { announcer } = usePage();
  const [outlines] = useState(() => new WeakMap<RunState, Outline>());
  const done = useRef(0);
  const last = useRef<Failure>(undefined);
  useEffect(() => {
    const box = scroller.current;
    if (wanted === done.current || !isReady || !box) return;
    done.current = wanted;
    const failures = runs.flatMap((run) => failuresOf(run, outlines));
    const next = nextOf(failures, last.current, homeOf, box);
    last.current = next;
    if (next) onJump(next.run, next.node);
    else announcer.say("There are no failures.");
  });
  return onFind && <FailureButton runs={runs} outlines={outlines} onFind={onFind} />;
};

interface FailureButtonProps extends Pick<NextFailureProps, "runs"> {
  readonly outlines: WeakMap<RunState, Outline>;
  readonly onFind: () => void;
}

const FailureButton = ({ runs, outlines, onFind }: FailureButtonProps) => {
  const indexes = useRunIndexes(runs);
  const version = indexes.reduce((sum, index) => sum + index.version, 0);
  const isShown = useMemo(() => runs.some((run) => failuresOf(run, outlines).length > 0), [runs, outlines, version]);
  if (!isShown) return null;
  return (
    <button
      type="button"
      onClick={onFind}
      className="inline-flex items-center gap-1.5 rounded-full border border-line bg-card px-4 py-2 text-sm shadow-lg hover:border-accent"
    >
      <IconCross className="size-4 text-bad" />
      Next failure
    </button>
  );
};

/** The failures of a run, one per place. */
const failuresOf = (run: RunState, outlines: WeakMap<RunState, Outline>): readonly Failure[] => {
  const outline = outlines.get(run) ?? createOutline(run);
  outlines.set(run, outline);
  const failed = outline.update().filter(({ isFailure }) => isFailure);
  return [...new Set(failed.map(({ target }) => target))].map((node) => ({ run, node }));
};

/**
 * The failure after the focused one, or after the last one while it is in view. Otherwise, the first failure in the
 * first run in view or below it. Starts over after the last failure.
 */
const nextOf = (
  failures: readonly Failure[],
  last: Failure | undefined,
  homeOf: NextFailureProps["homeOf"],
  box: HTMLElement,
): Failure | undefined => {
  const view = box.getBoundingClientRect();
  const placed = ({ run, node }: Failure): HTMLElement | null | undefined =>
    node === "" ? homeOf(run) : homeOf(run)?.querySelector<HTMLElement>(placeOf(node));
  const isInView = (failure: Failure): boolean => {
    const { top = 0, bottom = 0 } = placed(failure)?.getBoundingClientRect() ?? {};
    return bottom > Math.max(top, view.top) && top < view.bottom;
  };
  // A failed sub-agent comes before the failures in it.
  const focused = failures.findLastIndex((failure) => placed(failure)?.contains(document.activeElement));
  const at =
    focused >= 0
      ? focused
      : failures.findIndex((failure) => failure.run === last?.run && failure.node === last.node && isInView(failure));
  if (at >= 0) return failures[(at + 1) % failures.length];
  const isAhead = ({ run }: Failure): boolean => (homeOf(run)?.getBoundingClientRect().bottom ?? 0) > view.top;
  return failures.find(isAhead) ?? failures[0];
};
