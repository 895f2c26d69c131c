import { memo, useMemo, useRef, useState } from "react";
import type { RunState } from "runcast/state";
import { createOutline, type Outline, type OutlineRow, type RunIndex, runTitle } from "runcast/view";
import { IconAgent, IconCross, IconFile, IconHand } from "../../kit/icons.tsx";
import { Segments } from "../../kit/segments.tsx";
import { VirtualList } from "../../kit/virtual-list.tsx";
import { StateMark } from "../../run/state-mark.tsx";
import { useRunIndexes } from "../../run/use-run-indexes.ts";
import type { PanelProps } from "../panel.ts";

type Kind = "all" | "failure" | "file" | "agent";

interface Line {
  readonly run: RunState;
  readonly key: string;
  /** Undefined for the message that the run answers. */
  readonly row: OutlineRow | undefined;
}

const LINE = 44;
const KINDS: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: "all", label: "All" },
  { value: "failure", label: "Failures" },
  { value: "agent", label: "Sub-agents" },
  { value: "file", label: "Files" },
];
const EMPTY: Readonly<Record<Kind, string>> = {
  all: "Nothing has happened yet. Steps appear here as the agent works.",
  failure: "No failures.",
  agent: "No sub-agents.",
  file: "No files.",
};

/** The steps, sub-agents, questions, files, and failures of runs, to move by. */
export const OutlinePanel = memo(({ runs, onJump }: PanelProps) => {
  const indexes = useRunIndexes(runs);
  const version = indexes.reduce((sum, index) => sum + index.version, 0);
  const [outlines] = useState(() => new WeakMap<RunState, Outline>());
  const lines = useMemo(() => linesOf(indexes, outlines), [indexes, outlines, version]);
  const [kind, setKind] = useState<Kind>("all");
  const kinds = KINDS.map(({ value, label }) => ({
    value,
    label: value === "all" ? label : `${label} ${lines.filter(({ row }) => fits(row, value)).length}`,
  }));
  const shown = useMemo(() => lines.filter(({ row }) => fits(row, kind)), [lines, kind]);
  const box = useRef<HTMLDivElement>(null);
  return (
    <section aria-label="Outline" className="flex h-full min-h-0 min-w-0 flex-col gap-2 text-sm" data-outline>
      <h2 className="font-semibold">Outline</h2>
      <Segments label="Show" options={kinds} value={kind} onChange={setKind} className="self-start rounded-md" />
      {shown.length === 0 ? (
        <p role="status" className="text-soft">
          {EMPTY[kind]}
        </p>
      ) : (
        <VirtualList label="Outline" items={shown} box={box} line={LINE} keyOf={({ key }) => key}>
          {({ run, row }) => <LineView run={run} row={row} isFlat={kind !== "all"} onJump={onJump} />}
        </VirtualList>
      )}
    </section>
  );
});

const fits = (row: OutlineRow | undefined, kind: Kind): boolean => {
  if (kind === "all") return true;
  return row !== undefined && (kind === "failure" ? row.isFailure : row.kind === kind);
};

const linesOf = (indexes: readonly RunIndex[], outlines: WeakMap<RunState, Outline>): readonly Line[] =>
  indexes.flatMap(({ state: run }, number) => {
    const outline = outlines.get(run) ?? createOutline(run);
    outlines.set(run, outline);
    const name = run.run ?? `${number}`;
    const rows = outline.update().map((row) => ({ run, key: `${name} ${row.key}`, row }));
    return indexes.length > 1 ? [{ run, key: name, row: undefined }, ...rows] : rows;
  });

const Dot = ({ className }: { readonly className: string }) => (
  <span className={`flex items-center justify-center ${className}`}>
    <span className="size-1.5 rounded-full bg-current" />
  </span>
);
const ICONS = { step: Dot, agent: IconAgent, ask: IconHand, file: IconFile, failure: IconCross } as const;
const MAX_INDENT = 5;

interface LineViewProps extends Pick<Line, "run" | "row">, Pick<PanelProps, "onJump"> {
  readonly isFlat: boolean;
}

const LineView = memo(({ run, row, isFlat, onJump }: LineViewProps) => {
  const Icon = row && ICONS[row.kind];
  const indent = isFlat || !row ? 0 : Math.min(row.depth, MAX_INDENT);
  return (
    <button
      type="button"
      onClick={() => onJump(run, row?.target ?? "")}
      data-outline-row={row?.kind ?? "message"}
      style={{ paddingInlineStart: `${0.5 + indent * 0.9}rem` }}
      className="flex h-11 w-full min-w-0 cursor-pointer items-center gap-2 rounded-md pe-2 text-left hover:bg-tint"
    >
      {row?.badge ? <StateMark badge={row.badge} /> : Icon && <Icon className="size-4 shrink-0 text-soft" />}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className={`truncate ${row && row.kind !== "agent" ? "" : "font-semibold"}`}>
          {row ? row.label : runTitle(run)}
        </span>
        {row?.note && <span className="truncate text-xs text-soft">{row.note}</span>}
      </span>
    </button>
  );
});
