import { memo, useState } from "react";
import { duration, usageText } from "runcast/amounts";
import { useNode } from "runcast/react";
import type { AgentNode } from "runcast/state";
import { IconAgent } from "../kit/icons.tsx";
import { visibleText } from "runcast/markdown";
import { Elapsed } from "./elapsed.tsx";
import { Fold } from "../kit/fold.tsx";
import { ProblemView } from "./problem-view.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { StateMark } from "./state-mark.tsx";
import { StopButton } from "./stop-button.tsx";

/** A sub-agent with all that it did. Folded when it is done. */
export const AgentCard = memo(({ node }: { readonly node: AgentNode }) => {
  const { state, Items } = useRunContext();
  const agent = useNode(state, node);
  const [chosen, setChosen] = useState<boolean>();
  useOpener(node.id, () => setChosen(true));
  const ended = agent.endedAt;
  const open = chosen ?? ended === undefined;
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  const spent = usageText(agent.usage);
  return (
    <div
      role="group"
      data-node={agent.id}
      data-agent={agent.outcome ?? "executing"}
      data-kind="agent"
      tabIndex={-1}
      aria-label={`Sub-agent ${visibleText(agent.name)}`}
      aria-busy={ended === undefined}
      className="@container min-w-0 rounded-lg border border-line border-l-[3px] border-l-accent bg-page text-sm"
    >
      <Fold
        open={open}
        onToggle={setChosen}
        line={
          <>
            <StateMark
              state={agent.outcome ?? "executing"}
              says={agent.outcome !== undefined && agent.outcome !== "done"}
            />
            <IconAgent className="size-4 text-accent @max-2xs:hidden" />
            {/* Its task is what tells it from others of its name: where there is no room beside the name, it stands under it. */}
            <span className="flex min-w-0 flex-1 items-baseline gap-x-2 @max-sm:flex-col">
              <span className="max-w-full shrink-0 truncate font-medium">{visibleText(agent.name)}</span>
              <span
                className={`line-clamp-1 min-w-0 text-soft [overflow-wrap:anywhere] @max-sm:line-clamp-3 @max-sm:text-xs ${open && agent.status === undefined ? "@max-sm:hidden" : ""}`}
                data-task
              >
                {visibleText(agent.status ?? agent.task ?? "")}
              </span>
            </span>
            {ended === undefined ? (
              <Elapsed since={agent.startedAt} className="shrink-0 text-xs text-executing tabular-nums" />
            ) : (
              agent.outcome !== "interrupted" && (
                <span className="shrink-0 text-xs text-soft tabular-nums">{duration(ended - agent.startedAt)}</span>
              )
            )}
          </>
        }
        beside={ended === undefined && <StopButton target={{ agent: agent.id }} what={agent.name} />}
      >
        {wasOpen && (
          <div className="flex flex-col gap-2 border-t border-line p-2.5 @max-sm:p-1.5">
            {agent.task && (
              <p
                className={`whitespace-pre-wrap text-soft [overflow-wrap:anywhere] ${isLong(agent.task) ? "" : "@sm:hidden"}`}
              >
                {visibleText(agent.task)}
              </p>
            )}
            <Items owner={agent} />
            {ended !== undefined && spent !== "" && <p className="text-xs text-soft">{spent}</p>}
          </div>
        )}
      </Fold>
      {agent.error && (
        <div className="border-t border-line px-3 py-2">
          <ProblemView problem={agent.error} wasStopped={agent.outcome === "cancelled"} />
        </div>
      )}
    </div>
  );
});

/** Whether its first line cannot hold a task. */
const isLong = (task: string): boolean => task.length > 60 || task.includes("\n");
