import type { Badge, ShownState, Tone } from "runcast/view";
import type { IconProps } from "../kit/icon.tsx";
import {
  IconBroken,
  IconCheck,
  IconClock,
  IconCross,
  IconDenied,
  IconHand,
  IconHandOver,
  IconHourglass,
  IconSpinner,
  IconStopped,
  IconWarning,
} from "../kit/icons.tsx";

const ICONS: Readonly<Record<ShownState, (props: IconProps) => React.ReactNode>> = {
  pending: IconClock,
  executing: IconSpinner,
  ok: IconCheck,
  done: IconCheck,
  error: IconCross,
  denied: IconDenied,
  cancelled: IconStopped,
  timeout: IconHourglass,
  interrupted: IconBroken,
  deferred: IconHandOver,
  cut: IconWarning,
  filtered: IconDenied,
  waiting: IconHand,
  answered: IconCheck,
  expired: IconHourglass,
};

export const TONES: Readonly<Record<Tone, string>> = {
  waiting: "text-pending",
  active: "text-executing",
  good: "text-ok",
  bad: "text-bad",
  stopped: "text-pending",
  plain: "text-accent",
};

/** The icon of a state, for use next to text that names it. */
export const StateIcon = ({ badge }: { readonly badge: Badge }) => {
  const Icon = ICONS[badge.state];
  return (
    <span className={`shrink-0 ${TONES[badge.tone]}`} data-state={badge.state} data-tone={badge.tone}>
      <Icon />
    </span>
  );
};

/** The icon and word of a state. The word is only for screen readers unless `showsWord` is set. */
export const StateMark = ({ badge, showsWord = false }: { readonly badge: Badge; readonly showsWord?: boolean }) => {
  const Icon = ICONS[badge.state];
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1.5 ${TONES[badge.tone]}`}
      data-state={badge.state}
      data-tone={badge.tone}
      title={badge.word}
    >
      <Icon />
      <span className={showsWord ? "text-xs font-medium" : "sr-only"}>{badge.word}</span>
    </span>
  );
};
