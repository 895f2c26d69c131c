import { memo, useId, useMemo, useState } from "react";
import type { CallNode, StepNode } from "runcast/state";
import { IconChevron } from "../kit/icons.tsx";
import { visibleText } from "runcast/markdown";
import { CallCard } from "./call-card.tsx";
import { groupState, groupTime, groupTitle, hasAgents, isPlain, lanesOf } from "./group.ts";
import { useOpener, useRunContext } from "./run-context.ts";
import { StateMark, wordOf } from "./state-mark.tsx";
import { StepRetries } from "./step-retries.tsx";
import { useWatchAll } from "./use-watch.ts";

interface CallGroupProps {
  readonly items: readonly (CallNode | StepNode)[];
  /** Nothing can come between these calls any more. */
  readonly isOver: boolean;
}

/**
 * Consecutive calls. Two or more that are over fold into one row; those that brought sub-agents, files or embeds stay in
 * sight. A card once shown is only hidden, so that it keeps what was opened in it.
 */
export const CallGroup = memo(({ items, isOver }: CallGroupProps) => {
  const { state } = useRunContext();
  const calls = useMemo(() => items.filter((item) => item.kind === "call"), [items]);
  const open = useMemo(() => calls.filter((call) => call.endedAt === undefined).map((call) => call.id), [calls]);
  useWatchAll(state, open, () => calls.map(signOf).join(""));
  const [chosen, setChosen] = useState<boolean>();
  const id = useId();

  const folds = calls.filter(isPlain);
  const canFold = isOver && folds.length > 1 && calls.every((call) => call.endedAt !== undefined);
  const isFolded = canFold && chosen !== true;
  const [wasOpen, setWasOpen] = useState(!isFolded);
  if (!isFolded && !wasOpen) setWasOpen(true);
  const lanes = lanesOf(calls);

  return (
    <div
      className="lanes min-w-0"
      style={{ "--lanes": lanes.count } as React.CSSProperties}
      // Whoever works in a card would not want it folded away.
      onClickCapture={(event) => {
        if (!canFold && (event.target as Element).closest("[data-call]")) setChosen(true);
      }}
    >
      {canFold && (
        <button
          type="button"
          aria-expanded={!isFolded}
          aria-controls={id}
          onClick={() => setChosen(isFolded)}
          className="lane-full flex min-h-9 cursor-pointer items-center gap-2 rounded-lg border border-line bg-card py-1.5 pr-2 pl-2.5 text-left text-sm"
          data-folded={isFolded}
        >
          <StateMark state={groupState(folds)} />
          <span className="font-medium">{groupTitle(folds)}</span>
          <GroupTrouble calls={folds} />
          <span className="min-w-0 flex-1 truncate text-soft">
            {visibleText([...new Set(folds.map((call) => call.title ?? call.name))].join(", "))}
          </span>
          <span className="shrink-0 text-xs text-soft tabular-nums">{groupTime(folds)}</span>
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

/** How many of them did not succeed, by what became of them. */
const GroupTrouble = ({ calls }: { readonly calls: readonly CallNode[] }) => {
  const counts = Map.groupBy(
    calls.filter((call) => call.state !== "ok"),
    (call) => call.state,
  );
  return [...counts].map(([state, those]) => (
    <span key={state} className={`shrink-0 ${state === "cancelled" ? "text-pending" : "text-bad"}`}>
      {those.length} {wordOf(state)}
    </span>
  ));
};

/** All that the group's own look depends on. */
const signOf = (call: CallNode): string =>
  (call.endedAt === undefined ? "o" : "e") + (isPlain(call) ? "p" : "k") + (hasAgents(call) ? "a" : "");
