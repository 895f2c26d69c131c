import { memo } from "react";
import { useRun } from "runcast/react";
import { dateText, describeRun } from "runcast/view";
import { IconForward, IconRetry } from "../kit/icons.tsx";
import { Advice, ProblemView } from "./problem-view.tsx";
import { useRunContext } from "./run-context.ts";
import { StateIcon } from "./state-mark.tsx";
import { TimeView } from "./time-view.tsx";
import { useOpenAsks } from "./use-open-asks.ts";

/** The status of a run: its current activity or outcome, its cost, and possible actions. */
export const RunEnd = memo(() => {
  const { state, actions } = useRunContext();
  useOpenAsks(state);
  const facts = describeRun(useRun(state));
  const {
    badge,
    hasStarted,
    isOver,
    title,
    advice,
    time,
    usage,
    finishedAt,
    model,
    mode,
    problem,
    awaiting,
    canContinue,
    resume,
    retry,
    retryNote,
  } = facts;
  if (!hasStarted) return <p className="text-sm text-soft">Waiting for the run to start…</p>;
  const isPlain = isOver && badge.tone === "good";
  return (
    <footer data-run-end={isOver ? badge.state : "running"} tabIndex={-1} className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
        <StateIcon badge={badge} />
        {/* The icon is enough to show success. */}
        <span className={isPlain ? "sr-only" : isOver ? "font-medium text-ink" : ""} data-title>
          {title}
        </span>
        <TimeView time={time} className="tabular-nums" />
        {isOver && (
          <span className="min-w-0 tabular-nums empty:hidden">{[usage, model, mode].filter(Boolean).join(" · ")}</span>
        )}
        {finishedAt !== undefined && (
          <time dateTime={new Date(finishedAt).toISOString()}>{dateText(finishedAt, Date.now())}</time>
        )}
        {awaiting && <span>{awaiting}</span>}
      </div>
      <Advice text={advice} />
      {problem && <ProblemView problem={problem} />}
      {retryNote && <p className="text-sm text-soft">{retryNote}</p>}
      <div className="flex flex-wrap gap-1.5 empty:hidden">
        {resume && actions.resume && (
          <button type="button" onClick={() => actions.resume?.()} className={BUTTON}>
            <IconForward />
            {resume}
          </button>
        )}
        {retry === "offered" && actions.retry && (
          <button type="button" onClick={() => actions.retry?.()} className={BUTTON}>
            <IconRetry />
            Try again
          </button>
        )}
        {canContinue && actions.proceed && (
          <button type="button" onClick={() => actions.proceed?.()} className={BUTTON}>
            Continue the answer
          </button>
        )}
      </div>
    </footer>
  );
});

const BUTTON =
  "inline-flex cursor-pointer items-center gap-1.5 rounded-md border border-line bg-card px-2.5 py-1 text-sm hover:border-accent";
