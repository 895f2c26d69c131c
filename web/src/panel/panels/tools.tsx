import { memo, useMemo, useState } from "react";
import { describeCounts, type RunIndex, slowFrom } from "runcast/view";
import { Segments } from "../../kit/segments.tsx";
import { useRunIndexes } from "../../run/use-run-indexes.ts";
import { CallList, type ListedCall } from "../call-list.tsx";
import type { PanelProps } from "../panel.ts";
import { WaterfallView } from "../waterfall-view.tsx";

const VIEWS = [
  { value: "list", label: "List" },
  { value: "time", label: "Timeline" },
] as const;

/** All calls of a conversation: what is running and for how long, what has run, and a timeline. */
export const ToolsPanel = memo(({ runs, onJump }: PanelProps) => {
  const indexes = useRunIndexes(runs);
  const version = indexes.reduce((sum, index) => sum + index.version, 0);
  const calls = useMemo(() => listed(indexes), [indexes, version]);
  const slow = useMemo(() => slowFrom(calls.map(({ call }) => call)), [calls]);
  const [view, setView] = useState<(typeof VIEWS)[number]["value"]>("list");
  const counts = describeCounts(calls.map(({ call }) => call));
  return (
    <section aria-label="Tools" className="@container flex h-full min-h-0 min-w-0 flex-col gap-2 text-sm" data-panel>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">Tools</h2>
        <p className="flex-1 text-xs text-soft" data-counts>
          {counts.executing && <span className="text-executing">{counts.executing} · </span>}
          {counts.pending && <span className="text-pending">{counts.pending} · </span>}
          {counts.all}
          {counts.failed && <span className="text-bad"> · {counts.failed}</span>}
        </p>
        <Segments label="View" options={VIEWS} value={view} onChange={setView} />
      </div>
      {view === "list" ? (
        <CallList calls={calls} slow={slow} onJump={onJump} />
      ) : (
        <WaterfallView indexes={indexes} slow={slow} onJump={onJump} />
      )}
    </section>
  );
});

const listed = (indexes: readonly RunIndex[]): readonly ListedCall[] =>
  indexes.flatMap(({ state, calls }) => calls.map((call) => ({ run: state, call })));
