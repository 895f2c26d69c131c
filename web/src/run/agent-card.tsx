import { memo, type ReactNode, useState } from "react";
import { useNode } from "runcast/react";
import type { AgentNode } from "runcast/state";
import { describeAgent } from "runcast/view";
import { IconAgent } from "../kit/icons.tsx";
import { Fold } from "../kit/fold.tsx";
import { Advice, ProblemView } from "./problem-view.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { StateMark } from "./state-mark.tsx";
import { StopButton } from "./stop-button.tsx";
import { TimeView } from "./time-view.tsx";

interface AgentCardProps {
  readonly node: AgentNode;
  /** Shown below what it did. */
  readonly children?: ReactNode;
}

/** A sub-agent and everything it did. Collapsed when it is done. */
export const AgentCard = memo(({ node, children }: AgentCardProps) => {
  const { state, Items } = useRunContext();
  const agent = useNode(state, node);
  const [chosen, setChosen] = useState<boolean>();
  useOpener(node.id, () => setChosen(true));
  const { badge, isOver, name, task, fullTask, hasLongTask, status, time, usage, problem, advice } =
    describeAgent(agent);
  const open = chosen ?? !isOver;
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  return (
    <div
      role="group"
      data-node={agent.id}
      data-agent={badge.state}
      data-kind="agent"
      tabIndex={-1}
      aria-label={`Sub-agent ${name}`}
      aria-busy={!isOver}
      className="@container min-w-0 rounded-lg border border-line border-l-3 border-l-accent bg-page text-sm"
    >
      <Fold
        open={open}
        onToggle={setChosen}
        line={
          <>
            <StateMark badge={badge} showsWord={isOver && badge.tone !== "good"} />
            <IconAgent className="size-4 text-accent @max-2xs:hidden" />
            {/* The task distinguishes agents of the same name. Without room next to the name, it moves below it. */}
            <span className="flex min-w-0 flex-1 items-baseline gap-x-2 @max-sm:flex-col">
              <span className="max-w-full shrink-0 truncate font-medium" data-name>
                {name}
              </span>
              <span
                className={`line-clamp-1 min-w-0 text-soft [overflow-wrap:anywhere] @max-sm:line-clamp-3 @max-sm:text-xs ${open && status === "" ? "@max-sm:hidden" : ""}`}
                data-task
              >
                {status || task}
              </span>
            </span>
            <TimeView time={time} className="shrink-0 text-xs tabular-nums" />
          </>
        }
        beside={!isOver && <StopButton target={{ agent: agent.id }} what={name} />}
      >
        {wasOpen && (
          <div className="flex flex-col gap-2 border-t border-line p-2.5 @max-sm:p-1.5">
            {fullTask && (
              <p
                className={`whitespace-pre-wrap text-soft [overflow-wrap:anywhere] ${status !== "" || hasLongTask ? "" : "@sm:hidden"}`}
              >
                {fullTask}
              </p>
            )}
            <Items owner={agent} />
            {children}
            {usage !== "" && <p className="text-xs text-soft">{usage}</p>}
          </div>
        )}
      </Fold>
      {(problem || advice) && (
        <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
          <Advice text={advice} />
          {problem && <ProblemView problem={problem} />}
        </div>
      )}
    </div>
  );
});
