import { memo, useContext, useEffect, useMemo, useRef, useState } from "react";
import type { RunState } from "runcast/state";
import {
  type RunIndex,
  runSpan,
  runTitle,
  slownessOf,
  ticksOf,
  tickText,
  type WaterfallRow,
  waterfallOf,
} from "runcast/view";
import { VirtualList } from "../kit/virtual-list.tsx";
import { LiveUntil } from "../run/run-context.ts";
import "./waterfall.css";

interface WaterfallViewProps {
  readonly indexes: readonly RunIndex[];
  readonly slow: (name: string) => number;
  readonly onJump: (run: RunState, node: string) => void;
}

const LINE = 28;
const TICK = 100;

/** One run on a time axis. Bars are positioned by their times and one CSS variable, so time advances without rendering. */
export const WaterfallView = ({ indexes, slow, onJump }: WaterfallViewProps) => {
  const [chosen, setChosen] = useState<string>();
  const index = indexes.find(({ state }) => state.run === chosen) ?? indexes.at(-1);
  if (!index || !runSpan(index.state, 0)) return <p className="text-soft">Nothing has run yet.</p>;
  const { state } = index;
  return (
    <>
      {indexes.length > 1 && (
        <select
          aria-label="Run"
          value={state.run ?? ""}
          onChange={(event) => setChosen(event.target.value)}
          className="w-full rounded-md border border-line bg-card px-2 py-1 text-xs text-ink"
        >
          {indexes.map(({ state: run }, number) => (
            <option key={run.run ?? number} value={run.run ?? ""}>
              {number + 1}. {runTitle(run)}
            </option>
          ))}
        </select>
      )}
      <Chart key={state.run} state={state} version={index.version} slow={slow} onJump={onJump} />
    </>
  );
};

interface ChartProps {
  readonly state: RunState;
  readonly version: number;
  readonly slow: (name: string) => number;
  readonly onJump: (run: RunState, node: string) => void;
}

const Chart = ({ state, version, slow, onJump }: ChartProps) => {
  const rows = useMemo(() => waterfallOf(state), [state, version]);
  const box = useRef<HTMLDivElement>(null);
  const span = useSpan(state, box);
  return (
    <VirtualList
      label="Timeline"
      items={rows}
      box={box}
      className="waterfall"
      line={LINE}
      keyOf={({ node }) => node.id}
      above={
        <div aria-hidden="true" className="axis sticky top-0 z-10 h-6 bg-page text-xs text-soft">
          {ticksOf(span, 3).map((at) => (
            <span key={at} className="tick tabular-nums" style={{ "--from": at } as React.CSSProperties}>
              {at === 0 ? "0" : tickText(at)}
            </span>
          ))}
        </div>
      }
    >
      {(row) => <Bar row={row} slow={slow} state={state} onJump={onJump} />}
    </VirtualList>
  );
};

interface BarProps {
  readonly row: WaterfallRow;
  readonly slow: (name: string) => number;
  readonly state: RunState;
  readonly onJump: (run: RunState, node: string) => void;
}

const Bar = memo(({ row, slow, state, onJump }: BarProps) => {
  const { node, depth, label, badge, took, from, runs, to } = row;
  const isSlow = node.kind === "call" && slownessOf(node, slow(node.name), 0).isSlow;
  const end = to === undefined ? "var(--now)" : to;
  const times = { "--from": from, "--runs": Number.isFinite(runs) ? runs : end, "--to": end } as React.CSSProperties;
  const word = `${badge.word}${isSlow ? ", slow" : ""}`;
  const line = (
    <>
      <span
        className="flex min-w-0 items-center truncate text-xs"
        style={{ paddingLeft: `${Math.min(depth, 8) * 0.6}rem` }}
      >
        <span
          className={`truncate ${node.kind === "step" ? "text-soft" : node.kind === "agent" ? "font-semibold text-accent" : ""}`}
        >
          {label}
        </span>
      </span>
      <span className="sr-only">{word}</span>
      <span className="track" style={times} aria-hidden="true">
        {node.kind === "call" && <span className="bar waits" />}
        <span className={`bar runs ${node.kind}`} data-bar={badge.state} />
      </span>
      <span className={`text-right text-xs tabular-nums ${isSlow ? "text-pending" : "text-soft"}`}>{took}</span>
    </>
  );
  const style = "water-line h-7 w-full rounded-sm text-left";
  return node.kind === "step" ? (
    <div className={style} title={word}>
      {line}
    </div>
  ) : (
    <button
      type="button"
      title={word}
      onClick={() => onJump(state, node.id)}
      className={`${style} cursor-pointer hover:bg-tint`}
    >
      {line}
    </button>
  );
});

/** Advances the current time while the run is active. Returns the length of the axis, which only changes in steps. */
const useSpan = (state: RunState, box: React.RefObject<HTMLDivElement | null>): number => {
  const until = useContext(LiveUntil);
  const shown = () => runSpan(state, Math.min(Date.now(), until)) ?? { length: 0, isOver: false };
  const { isOver } = shown();
  const [span, setSpan] = useState(() => spanOf(shown().length));
  useEffect(() => {
    const move = (): void => {
      const { length } = shown();
      const next = isOver ? length : spanOf(length);
      box.current?.style.setProperty("--now", `${length}`);
      box.current?.style.setProperty("--span", `${next}`);
      setSpan(next);
    };
    move();
    if (isOver || until !== Infinity) return;
    const timer = setInterval(move, TICK);
    return () => clearInterval(timer);
  }, [state, isOver, until, box]);
  return span;
};

/** Slightly more than the elapsed time, so the axis is only redrawn occasionally. */
const spanOf = (ms: number): number => {
  const doublings = Math.log2(Math.max(ms, 2000) / 1000);
  return 1000 * 2 ** (Math.ceil(doublings * 2) / 2);
};
