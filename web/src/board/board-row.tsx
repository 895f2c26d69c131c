import { memo, useState } from "react";
import type { RunRow } from "runcast/protocol";
import { agoText, describeRow, type RunRowFacts } from "runcast/view";
import { Button } from "../kit/button.tsx";
import { StateIcon, TONES } from "../run/state-mark.tsx";
import { TimeView } from "../run/time-view.tsx";
import { troubleText } from "../run/trouble-text.ts";
import { usePage } from "../session/page-context.ts";

interface BoardRowProps {
  readonly row: RunRow;
  /** It no longer matches the filter. */
  readonly isLeaving: boolean;
  readonly mayAnswer: boolean;
  readonly mayStop: boolean;
  readonly isNarrow: boolean;
  /** The time by the server's clock, rounded. */
  readonly now: number;
  readonly onAnswer: (row: RunRow) => void;
}

export const BoardRow = memo(({ row, isLeaving, mayAnswer, mayStop, isNarrow, now, onAnswer }: BoardRowProps) => {
  const { route } = usePage();
  const facts = describeRow(row);
  const { badge, title, note, time, isOver, isWaiting } = facts;
  const open = (event: React.MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    route.go({ run: row.run });
  };
  return (
    <div
      data-row={row.run}
      className={`relative flex h-full items-center gap-3 border-b border-line px-4 hover:bg-tint has-[a:focus-visible]:bg-tint ${isLeaving ? "opacity-50" : ""}`}
    >
      <StateIcon badge={badge} />
      <div className="min-w-0 grow">
        {/* The whole row is the link; the buttons are above it. */}
        <a
          href={route.href({ run: row.run })}
          onClick={open}
          data-row-link
          className="block truncate text-sm font-medium after:absolute after:inset-0"
        >
          {title}
        </a>
        <div className="flex min-w-0 text-xs text-soft max-md:flex-col">
          <p className="min-w-0 truncate">
            <span className={`font-medium ${TONES[badge.tone]}`}>{badge.word}</span>
            {isNarrow && <TimeView time={time} className="ml-1.5 tabular-nums" />}
            <Facts facts={facts} now={now} isNarrow={isNarrow} />
          </p>
          {note && (
            <p
              className={`min-w-0 grow truncate md:before:mx-1.5 md:before:content-['·'] ${isWaiting ? "text-ink" : ""}`}
            >
              {note}
            </p>
          )}
        </div>
      </div>
      {!isNarrow && <TimeView time={time} className="shrink-0 text-xs tabular-nums" />}
      {!isLeaving && !isOver && (
        <div className="relative flex shrink-0 items-stretch gap-1.5 max-md:flex-col">
          {isWaiting && mayAnswer && (
            <Button kind="main" onClick={() => onAnswer(row)} aria-label={`Answer ${title}`}>
              Answer
            </Button>
          )}
          {mayStop && <Stop run={row.run} title={title} />}
        </div>
      )}
    </div>
  );
});

const Facts = ({ facts, now, isNarrow }: { readonly facts: RunRowFacts } & Pick<BoardRowProps, "now" | "isNarrow">) => {
  const { agent, who, begun, spent, usage } = facts;
  const words = [agent, who && `by ${who}`, agoText(begun, now)].filter(Boolean);
  return (
    <>
      {words.map((word) => ` · ${word}`).join("")}
      {spent && !isNarrow && <span title={usage}>{` · ${spent}`}</span>}
    </>
  );
};

/** Stops a run. Stays in the state "Stopping…" until the run has ended. */
const Stop = ({ run, title }: { readonly run: string; readonly title: string }) => {
  const { access, announcer } = usePage();
  const [asked, setAsked] = useState<"stopping" | { readonly trouble: string }>();
  const stop = async (): Promise<void> => {
    setAsked("stopping");
    announcer.say("Stopping the run.");
    try {
      await access.client.cancel(run);
    } catch (error) {
      setAsked({ trouble: troubleText(error) });
    }
  };
  const isStopping = asked !== undefined && !isTrouble(asked);
  return (
    <>
      {isTrouble(asked) && (
        <span role="alert" className="max-w-40 truncate text-xs text-bad" title={asked.trouble}>
          Could not stop: {asked.trouble}
        </span>
      )}
      <Button
        aria-label={isStopping ? `Stopping ${title}` : `Stop ${title}`}
        aria-disabled={isStopping}
        onClick={() => {
          if (!isStopping) void stop();
        }}
      >
        {isStopping ? "Stopping…" : "Stop"}
      </Button>
    </>
  );
};

const isTrouble = (asked: unknown): asked is { readonly trouble: string } => typeof asked === "object";
