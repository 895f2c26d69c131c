import type { ReactNode } from "react";
import { Action } from "../kit/action.tsx";
import { BranchSwitcher } from "./branch-switcher.tsx";
import { IconRetry, IconFork, IconPencil } from "../kit/icons.tsx";
import type { ShownMessage } from "./use-conversations.tsx";

export interface MessageActionsProps {
  readonly shown: ShownMessage;
  readonly onChoose: (message: string) => void;
  /** Shows them only while the pointer or the focus is on the message, except on a touch screen. */
  readonly isQuiet: boolean;
  /** For a user message: edits it. */
  readonly onEdit?: () => void;
  /** For an answer: runs it again as a branch. */
  readonly onRerun?: () => void;
  readonly onFork?: () => void;
  /** Further actions. */
  readonly children?: ReactNode;
}

/** The actions on a message. An action without a handler is not offered. */
export const MessageActions = ({
  shown,
  onChoose,
  isQuiet,
  onEdit,
  onRerun,
  onFork,
  children,
}: MessageActionsProps) => (
  <div
    className={`-mx-1.5 flex flex-wrap items-center gap-0.5 text-xs text-soft max-sm:-mx-2.5 ${isQuiet && shown.branches.length < 2 ? QUIET : ""}`}
  >
    <BranchSwitcher branches={shown.branches} branch={shown.branch} onChoose={onChoose} />
    {onEdit && (
      <Action icon={<IconPencil className="size-3.5" />} onClick={onEdit}>
        Edit
      </Action>
    )}
    {onRerun && (
      <Action icon={<IconRetry className="size-3.5" />} onClick={onRerun}>
        Run again
      </Action>
    )}
    {onFork && (
      <Action icon={<IconFork className="size-3.5" />} onClick={onFork}>
        Fork
      </Action>
    )}
    {children}
  </div>
);

const QUIET =
  "opacity-0 group-hover/message:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100 group-focus/message:opacity-100";
