import { memo, useState } from "react";
import { ToolCard, useNode } from "runcast/react";
import type { CallNode } from "runcast/state";
import { delegationOf, describeAsk, describeCall, hasAgents } from "runcast/view";
import { Arguments } from "./arguments.tsx";
import { DelegationCard } from "./delegation-card.tsx";
import { Fold } from "../kit/fold.tsx";
import { Output } from "./output.tsx";
import { ProblemView } from "./problem-view.tsx";
import { Progress } from "./progress.tsx";
import { Result } from "./result.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { StateMark } from "./state-mark.tsx";
import { StopButton } from "./stop-button.tsx";
import { TimeView } from "./time-view.tsx";

/** A tool call: expanded while it runs, one line when it is over. */
export const CallCard = memo(({ node }: { readonly node: CallNode }) => {
  const { state, actions, Items } = useRunContext();
  const call = useNode(state, node);
  const [chosen, setChosen] = useState<boolean>();
  useOpener(node.id, () => setChosen(true));
  const delegation = delegationOf(call);
  const facts = describeCall(call);
  const { badge, isOver, name, summary, edits, repeat, exit, time, problem } = facts;
  // Denying a call also stops it.
  const isAsked =
    actions.answer !== undefined && call.items.some((item) => item.kind === "ask" && describeAsk(item).isOpen);
  // A sub-agent's work is more informative than the arguments that started it.
  const open = chosen ?? (!isOver && !hasAgents(call));
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  if (delegation) return <DelegationCard call={call} delegation={delegation} />;
  return (
    <article
      data-node={call.id}
      data-call={badge.state}
      data-open={open}
      data-kind="call"
      tabIndex={-1}
      aria-label={`Tool ${name}`}
      aria-busy={!isOver}
      className="group/call @container min-w-0 rounded-lg border border-line bg-card text-sm"
    >
      <Fold
        open={open}
        onToggle={setChosen}
        line={
          <>
            <StateMark badge={badge} showsWord={badge.tone !== "good" && badge.tone !== "active"} />
            <span
              className="max-w-[60%] shrink-0 truncate font-medium @max-xs:max-w-none @max-xs:flex-1 @max-xs:shrink"
              title={call.name}
              data-name
            >
              {name}
            </span>
            <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft @max-xs:hidden" data-summary>
              {summary}
            </span>
            {edits && (
              <span className="min-w-0 truncate text-xs text-soft @max-xs:hidden" data-edits>
                {edits}
              </span>
            )}
            {repeat && (
              <span className="min-w-0 truncate text-xs text-soft @max-xs:hidden" data-repeat>
                {repeat}
              </span>
            )}
            {exit && (
              <span className="shrink-0 text-xs text-bad" data-exit-failed>
                {exit}
              </span>
            )}
            <TimeView time={time} className="shrink-0 text-xs tabular-nums" />
          </>
        }
        beside={!isOver && !isAsked && <StopButton target={{ call: call.id }} what={name} />}
      >
        {wasOpen && (
          <div className="flex flex-col gap-2.5 border-t border-line px-3 py-2.5 empty:hidden">
            <ToolCard state={state} call={call}>
              <Arguments call={call} facts={facts} />
              <Progress facts={facts} />
              <Output call={call} isLive={!isOver} />
              <Result call={call} />
            </ToolCard>
          </div>
        )}
      </Fold>
      {problem && (
        <div className="border-t border-line px-3 py-2">
          <ProblemView problem={problem} />
        </div>
      )}
      {call.items.length > 0 && (
        <div className="call-items flex flex-col gap-2 border-t border-line p-2.5 @max-sm:p-1.5">
          <Items owner={call} />
        </div>
      )}
    </article>
  );
});
