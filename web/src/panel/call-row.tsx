import { memo, useContext, useEffect, useState } from "react";
import { duration } from "runcast/amounts";
import { useNode } from "runcast/react";
import type { CallNode, RunState } from "runcast/state";
import { IconWarning } from "../kit/icons.tsx";
import { Elapsed } from "../run/elapsed.tsx";
import { LiveUntil } from "../run/run-context.ts";
import { StateMark } from "../run/state-mark.tsx";
import { summaryOf } from "../run/summary.ts";
import { tookOf } from "./slow.ts";
import { visibleText } from "runcast/markdown";

interface CallRowProps {
  readonly run: RunState;
  readonly call: CallNode;
  /** From how many milliseconds on it is slow. */
  readonly slow: number;
  readonly onJump: (run: RunState, node: string) => void;
}

/** One call in the panel; leads to its card. */
export const CallRow = memo(({ run, call: node, slow, onJump }: CallRowProps) => {
  const call = useNode(run, node);
  const isSlow = useIsSlow(call, slow);
  const took = call.endedAt === undefined ? undefined : tookOf(call, call.endedAt);
  const agent = call.agent === undefined ? undefined : run.nodes.get(call.agent);
  return (
    <button
      type="button"
      onClick={() => onJump(run, call.id)}
      data-row={call.id}
      data-slow={isSlow}
      className="flex h-11 w-full min-w-0 cursor-pointer items-center gap-2 rounded-md px-2.5 text-left hover:bg-sunken"
    >
      <StateMark state={call.state} />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex min-w-0 items-baseline gap-1.5">
          <span className="truncate font-medium">{visibleText(call.title ?? call.name)}</span>
          {agent?.kind === "agent" && <span className="truncate text-xs text-soft">by {visibleText(agent.name)}</span>}
        </span>
        <span className="truncate font-mono text-xs text-soft">
          {visibleText(call.status ?? summaryOf(call.input))}
        </span>
      </span>
      {isSlow && (
        <span className="inline-flex items-center gap-1 text-xs text-pending">
          <IconWarning className="size-3.5" />
          slow
        </span>
      )}
      <span className="shrink-0 text-xs text-soft tabular-nums">
        {call.endedAt === undefined
          ? call.executedAt !== undefined && <Elapsed since={call.executedAt} className="text-executing" />
          : took !== undefined && duration(took)}
      </span>
    </button>
  );
});

/** Whether a call took or takes longer than it should; a running one is asked again when it would become slow. */
const useIsSlow = (call: CallNode, slow: number): boolean => {
  const [, again] = useState(0);
  const { executedAt, endedAt } = call;
  const until = useContext(LiveUntil);
  const isSlow = (tookOf(call, Math.min(Date.now(), until)) ?? 0) >= slow;
  useEffect(() => {
    if (executedAt === undefined || endedAt !== undefined || isSlow || until !== Infinity) return;
    const timer = setTimeout(() => again((count) => count + 1), Math.max(0, executedAt + slow - Date.now()) + 20);
    return () => clearTimeout(timer);
  }, [executedAt, endedAt, slow, isSlow, until]);
  return isSlow;
};
