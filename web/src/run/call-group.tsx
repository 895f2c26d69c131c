import { memo, useId, useMemo, useState } from "react";
import type { CallNode, StepNode } from "runcast/state";
import { canFold as foldsIn, describeGroup, groupSign, isOver as hasEnded, isPlain, lanesOf } from "runcast/view";
import { IconChevron } from "../kit/icons.tsx";
import { CallCard } from "./call-card.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { StateMark, TONES } from "./state-mark.tsx";
import { StepRetries } from "./step-retries.tsx";
import { useWatchAll } from "./use-watch.ts";

interface CallGroupProps {
  readonly items: readonly (CallNode | StepNode)[];
  /** No further call can be added to the group. */
  readonly isOver: boolean;
}

/**
 * Consecutive calls. Two or more that have ended collapse into one row. Those with sub-agents, files, or embeds stay
 * visible. A card is only hidden once shown, so it keeps its state.
 */
export const CallGroup = memo(({ items, isOver }: CallGroupProps) => {
  const { state } = useRunContext();
  const calls = useMemo(() => items.filter((item) => item.kind === "call"), [items]);
  const open = useMemo(() => calls.filter((call) => !hasEnded(call)).map((call) => call.id), [calls]);
  useWatchAll(state, open, () => groupSign(calls));
  const [chosen, setChosen] = useState<boolean>();
  const id = useId();

  const canFold = isOver && foldsIn(calls);
  const isFolded = canFold && chosen !== true;
  const [wasOpen, setWasOpen] = useState(!isFolded);
  if (!isFolded && !wasOpen) setWasOpen(true);
  const lanes = lanesOf(calls);
  const facts = canFold ? describeGroup(calls.filter(isPlain)) : undefined;

  return (
    <div
      className="lanes min-w-0"
      style={{ "--lanes": lanes.count } as React.CSSProperties}
      // Do not collapse a card that the user is working in.
      onClickCapture={(event) => {
        if (!canFold && (event.target as Element).closest("[data-call]")) setChosen(true);
      }}
    >
      {facts && (
        <button
          type="button"
          aria-expanded={!isFolded}
          aria-controls={id}
          onClick={() => setChosen(isFolded)}
          className="lane-full flex min-h-9 cursor-pointer items-center gap-2 rounded-lg border border-line bg-card py-1.5 pr-2 pl-2.5 text-left text-sm"
          data-folded={isFolded}
        >
          <StateMark badge={facts.badge} />
          <span className="font-medium">{facts.title}</span>
          {facts.trouble.map(({ badge, text }) => (
            <span key={badge.state} className={`shrink-0 ${TONES[badge.tone]}`}>
              {text}
            </span>
          ))}
          <span className="min-w-0 flex-1 truncate text-soft">{facts.names}</span>
          <span className="shrink-0 text-xs text-soft tabular-nums">{facts.time}</span>
          <IconChevron className={`size-3.5 text-soft ${isFolded ? "" : "rotate-90"}`} />
        </button>
      )}
      <div id={id} className="contents">
        {items.map((item) => {
          if (item.kind === "step") return <StepRetries key={item.id} node={item} />;
          const isHidden = isFolded && isPlain(item);
          return (
            <Member
              key={item.id}
              call={item.id}
              onOpen={() => setChosen(true)}
              lane={lanes.of(item)}
              isHidden={isHidden}
            >
              {(!isHidden || wasOpen) && <CallCard node={item} />}
            </Member>
          );
        })}
      </div>
    </div>
  );
});

interface MemberProps {
  readonly call: string;
  readonly onOpen: () => void;
  readonly lane: "full" | "first" | "next";
  readonly isHidden: boolean;
  readonly children: React.ReactNode;
}

const Member = ({ call, onOpen, lane, isHidden, children }: MemberProps) => {
  useOpener(`group of ${call}`, onOpen);
  return (
    <div
      hidden={isHidden}
      className={`min-w-0 ${lane === "full" ? "lane-full" : lane === "first" ? "lane-first" : ""}`}
    >
      {children}
    </div>
  );
};
