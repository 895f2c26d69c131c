import { memo, useMemo } from "react";
import { counted, duration, usageText } from "runcast/amounts";
import { useRun } from "runcast/react";
import type { RunState } from "runcast/state";
import { IconRetry } from "../kit/icons.tsx";
import { Elapsed } from "./elapsed.tsx";
import { ProblemView } from "./problem-view.tsx";
import { useRunContext } from "./run-context.ts";
import { StateMark } from "./state-mark.tsx";
import { StopButton } from "./stop-button.tsx";
import { useRunIndexes } from "./use-run-indexes.ts";

/** How a run stands: what it does now, or how it ended, what it took, and what can be done about it. */
export const RunEnd = memo(() => {
  const { state, actions } = useRunContext();
  const run = useRun(state);
  if (run.outcome === undefined) return <Running run={run} />;
  const took =
    run.startedAt !== undefined && run.endedAt !== undefined && run.outcome !== "interrupted"
      ? duration(run.endedAt - run.startedAt)
      : "";
  const facts = [took, usageText(run.usage), run.model].filter(Boolean).join(" · ");
  const why = retryText(run);
  const canRetry = run.outcome === "interrupted" || (run.outcome === "error" && why === undefined);
  return (
    <footer data-run-end={run.outcome} className="flex flex-col gap-1.5">
      <div className="flex items-center gap-x-3 text-xs text-soft">
        <StateMark state={run.outcome} says={run.outcome !== "done"} />
        <span className="min-w-0 tabular-nums">{facts}</span>
        {run.awaiting.length > 0 && (
          <span>
            waits for the client to run {run.awaiting.length === 1 ? "a tool" : `${run.awaiting.length} tools`}
          </span>
        )}
      </div>
      {run.error && <ProblemView problem={run.error} wasStopped={run.outcome === "cancelled"} />}
      {why !== undefined && <p className="text-sm text-soft">{why}</p>}
      {canRetry && actions.retry && (
        <button
          type="button"
          onClick={() => actions.retry?.()}
          className="inline-flex cursor-pointer items-center gap-1.5 self-start rounded-md border border-line bg-card px-2.5 py-1 text-sm hover:border-accent"
        >
          <IconRetry />
          Try again
        </button>
      )}
    </footer>
  );
});

/** Why trying again is not offered; undefined if it is. */
const retryText = ({ outcome, error }: RunState): string | undefined =>
  outcome === "error" && error?.retryable !== true
    ? "Trying again is not offered: the same request would fail again."
    : undefined;

const Running = ({ run }: { readonly run: RunState }) => {
  const runs = useMemo(() => [run], [run]);
  const [index] = useRunIndexes(runs);
  const asks = index?.openAsks.size ?? 0;
  if (run.startedAt === undefined) return <p className="text-sm text-soft">Waiting for the run to begin…</p>;
  return (
    <footer data-run-end="running" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
      <StateMark state={asks > 0 ? "pending" : "executing"} />
      <span>{asks > 0 ? `Waiting for you: ${counted(asks, "open question")}` : (run.root.status ?? "Working")}</span>
      <Elapsed since={run.startedAt} className="tabular-nums" />
      <StopButton target={{}} what="the run" />
    </footer>
  );
};
