import { useState } from "react";
import { useNode } from "runcast/react";
import type { CallNode } from "runcast/state";
import type { Delegation } from "runcast/view";
import { Fold } from "../kit/fold.tsx";
import { AgentCard } from "./agent-card.tsx";
import { Arguments } from "./arguments.tsx";
import { Result } from "./result.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { TimeView } from "./time-view.tsx";

interface DelegationCardProps {
  readonly call: CallNode;
  readonly delegation: Delegation;
}

/** A call and the sub-agent that it started, as one card. The call's arguments are collapsed in it, if they say more than the task. */
export const DelegationCard = ({ call, delegation }: DelegationCardProps) => {
  const { state } = useRunContext();
  useNode(state, delegation.agent);
  const { agent, call: facts, time, hasOwnInput, hasOwnResult } = delegation;
  const [open, setOpen] = useState(false);
  useOpener(call.id, () => setOpen(true));
  return (
    <div data-node={call.id} data-kind="call" data-delegation={call.id} tabIndex={-1} className="min-w-0">
      <AgentCard node={agent}>
        {(hasOwnInput || time) && (
          <Fold
            open={open}
            onToggle={setOpen}
            line={
              <span className="flex min-w-0 flex-1 items-baseline gap-2 text-xs text-soft">
                <span className="truncate">Arguments of {facts.name}</span>
                <TimeView time={time} className="shrink-0 tabular-nums" />
              </span>
            }
          >
            <div className="px-3 py-2.5">{open && <Arguments call={call} facts={facts} />}</div>
          </Fold>
        )}
        {hasOwnResult && <Result call={call} />}
      </AgentCard>
    </div>
  );
};
