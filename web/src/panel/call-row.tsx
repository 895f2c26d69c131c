import { memo, useContext, useEffect, useState } from "react";
import { useNode } from "runcast/react";
import type { CallNode, RunState } from "runcast/state";
import { describeAgent, describeCall, slownessOf } from "runcast/view";
import { IconWarning } from "../kit/icons.tsx";
import { LiveUntil } from "../run/run-context.ts";
import { StateMark } from "../run/state-mark.tsx";
import { TimeView } from "../run/time-view.tsx";

interface CallRowProps {
  readonly run: RunState;
  readonly call: CallNode;
  /** The time in milliseconds from which it is slow. */
  readonly slow: number;
  readonly onJump: (run: RunState, node: string) => void;
}

/** A call in the panel. Leads to its card. */
export const CallRow = memo(({ run, call: node, slow, onJump }: CallRowProps) => {
  const call = useNode(run, node);
  const isSlow = useIsSlow(call, slow);
  const { badge, name, status, summary, time } = describeCall(call);
  const agent = call.agent === undefined ? undefined : run.nodes.get(call.agent);
  return (
    <button
      type="button"
      onClick={() => onJump(run, call.id)}
      data-row={call.id}
      data-slow={isSlow}
      className="flex h-11 w-full min-w-0 cursor-pointer items-center gap-2 rounded-md px-2.5 text-left hover:bg-tint"
    >
      <StateMark badge={badge} />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex min-w-0 items-baseline gap-1.5">
          <span className="truncate font-medium">{name}</span>
          {agent?.kind === "agent" && (
            <span className="truncate text-xs text-soft">by {describeAgent(agent).name}</span>
          )}
        </span>
        <span className="truncate font-mono text-xs text-soft">{status || summary}</span>
      </span>
      {isSlow && (
        <span className="inline-flex items-center gap-1 text-xs text-pending">
          <IconWarning className="size-3.5" />
          slow
        </span>
      )}
      <TimeView time={time} className="shrink-0 text-xs tabular-nums" />
    </button>
  );
});

/** Whether a call is slow. A running call is checked again when it would become slow. */
const useIsSlow = (call: CallNode, limit: number): boolean => {
  const [, again] = useState(0);
  const until = useContext(LiveUntil);
  const { isSlow, slowAt } = slownessOf(call, limit, Math.min(Date.now(), until));
  useEffect(() => {
    if (slowAt === undefined || until !== Infinity) return;
    const timer = setTimeout(() => again((count) => count + 1), Math.max(0, slowAt - Date.now()) + 20);
    return () => clearTimeout(timer);
  }, [slowAt, until]);
  return isSlow;
};
