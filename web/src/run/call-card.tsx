import { memo, useState } from "react";
import { duration } from "runcast/amounts";
import { ToolCard, useNode } from "runcast/react";
import type { CallNode } from "runcast/state";
import { Arguments } from "./arguments.tsx";
import { Elapsed } from "./elapsed.tsx";
import { Fold } from "../kit/fold.tsx";
import { hasAgents } from "./group.ts";
import { Output } from "./output.tsx";
import { ProblemView } from "./problem-view.tsx";
import { Progress } from "./progress.tsx";
import { Result } from "./result.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { StateMark } from "./state-mark.tsx";
import { StopButton } from "./stop-button.tsx";
import { summaryOf } from "./summary.ts";
import { visibleText } from "runcast/markdown";

/** One call of a tool: open while it runs, one line when it is over. */
export const CallCard = memo(({ node }: { readonly node: CallNode }) => {
  const { state, Items } = useRunContext();
  const call = useNode(state, node);
  const [chosen, setChosen] = useState<boolean>();
  useOpener(node.id, () => setChosen(true));
  const isRunning = call.endedAt === undefined;
  // The work of a sub-agent says more than the words that started it.
  const open = chosen ?? (isRunning && !hasAgents(call));
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  const name = visibleText(call.title ?? call.name);
  return (
    <article
      data-node={call.id}
      data-call={call.state}
      data-open={open}
      data-kind="call"
      tabIndex={-1}
      aria-label={`Tool ${name}`}
      aria-busy={isRunning}
      className="group/call @container min-w-0 rounded-lg border border-line bg-card text-sm"
    >
      <Fold
        open={open}
        onToggle={setChosen}
        line={
          <>
            <StateMark state={call.state} says={call.state !== "ok" && call.state !== "executing"} />
            <span
              className="max-w-[60%] shrink-0 truncate font-medium @max-xs:max-w-none @max-xs:flex-1 @max-xs:shrink"
              title={call.name}
            >
              {name}
            </span>
            <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft @max-xs:hidden">
              {summaryOf(call.input)}
            </span>
            <Time call={call} />
          </>
        }
        beside={isRunning && <StopButton target={{ call: call.id }} what={name} />}
      >
        {wasOpen && (
          <div className="flex flex-col gap-2.5 border-t border-line px-3 py-2.5">
            <ToolCard state={state} call={call}>
              <Arguments call={call} />
              <Progress call={call} />
              <Output call={call} />
              {!isRunning && <Result call={call} />}
            </ToolCard>
          </div>
        )}
      </Fold>
      {call.error && (
        <div className="border-t border-line px-3 py-2">
          <ProblemView problem={call.error} wasStopped={call.state === "cancelled"} />
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

/** Running: since when. Over: how long it took, if that is known. */
const Time = ({ call }: { readonly call: CallNode }) => {
  const style = "shrink-0 text-xs tabular-nums";
  if (call.endedAt === undefined)
    return call.executedAt === undefined ? null : (
      <Elapsed since={call.executedAt} className={`${style} text-executing`} />
    );
  const took = latencyOf(call);
  return took === undefined ? null : (
    <span className={`${style} text-soft`} data-latency>
      {duration(took)}
    </span>
  );
};

/** What the tool itself measured; else from its start to its end, unless nobody knows when it ended. */
const latencyOf = (call: CallNode): number | undefined => {
  if (call.ms !== undefined) return call.ms;
  if (call.executedAt === undefined || call.endedAt === undefined || call.state === "interrupted") return undefined;
  return call.endedAt - call.executedAt;
};
