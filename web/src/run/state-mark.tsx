import type { IconProps } from "../kit/icon.tsx";
import {
  IconBroken,
  IconCheck,
  IconClock,
  IconCross,
  IconDenied,
  IconHandOver,
  IconHourglass,
  IconSpinner,
  IconStopped,
} from "../kit/icons.tsx";
import type { ShownState } from "./shown-state.ts";

interface Look {
  readonly Icon: (props: IconProps) => React.ReactNode;
  readonly color: string;
  readonly word: string;
}

const LOOKS: Readonly<Record<ShownState, Look>> = {
  pending: { Icon: IconClock, color: "text-pending", word: "pending" },
  executing: { Icon: IconSpinner, color: "text-executing", word: "executing" },
  ok: { Icon: IconCheck, color: "text-ok", word: "done" },
  done: { Icon: IconCheck, color: "text-ok", word: "done" },
  error: { Icon: IconCross, color: "text-bad", word: "failed" },
  denied: { Icon: IconDenied, color: "text-bad", word: "denied" },
  cancelled: { Icon: IconStopped, color: "text-pending", word: "cancelled" },
  timeout: { Icon: IconHourglass, color: "text-bad", word: "timed out" },
  interrupted: { Icon: IconBroken, color: "text-bad", word: "interrupted" },
  deferred: { Icon: IconHandOver, color: "text-accent", word: "handed to the client" },
};

export const wordOf = (state: ShownState): string => LOOKS[state].word;

/** A state as a drawn icon; its word is there for screen readers, and for all where `says` is set. */
export const StateMark = ({ state, says = false }: { readonly state: ShownState; readonly says?: boolean }) => {
  const { Icon, color, word } = LOOKS[state];
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 ${color}`} data-state={state} title={word}>
      <Icon />
      <span className={says ? "text-xs font-medium" : "sr-only"}>{word}</span>
    </span>
  );
};
