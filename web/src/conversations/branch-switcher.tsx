import { IconBack, IconForward } from "../kit/icons.tsx";
import type { ShownMessage } from "./use-conversations.tsx";

export interface BranchSwitcherProps extends Pick<ShownMessage, "branches" | "branch"> {
  readonly onChoose: (message: string) => void;
}

/** Switches between the branches of a message. Renders nothing if there is only one. */
export const BranchSwitcher = ({ branches, branch, onChoose }: BranchSwitcherProps) => {
  if (branches.length < 2) return null;
  const choose = (index: number) => () => onChoose(branches[index]!);
  return (
    <span role="group" aria-label="Versions" className="inline-flex items-center text-xs text-soft">
      <button
        type="button"
        aria-label="Earlier version"
        disabled={branch === 0}
        onClick={choose(branch - 1)}
        className={BUTTON}
      >
        <IconBack className="size-3.5" />
      </button>
      <span className="tabular-nums">
        <span className="sr-only">Version </span>
        {branch + 1}
        <span aria-hidden="true"> / </span>
        <span className="sr-only"> of </span>
        {branches.length}
      </span>
      <button
        type="button"
        aria-label="Later version"
        disabled={branch === branches.length - 1}
        onClick={choose(branch + 1)}
        className={BUTTON}
      >
        <IconForward className="size-3.5" />
      </button>
    </span>
  );
};

const BUTTON = "rounded-md p-1 hover:bg-tint hover:text-ink disabled:opacity-50";
