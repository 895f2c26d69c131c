import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import type { Json } from "runcast/events";
import { IconChevron } from "../kit/icons.tsx";
import { jsonLine, type JsonRow, jsonRows } from "./json-rows.ts";
import { visibleText } from "runcast/view";

const ALL = 100;
const LINE = 22;

/** A JSON value as a tree. Only expanded parts are built, and long trees render only the visible lines. */
export const JsonTree = ({ value }: { readonly value: Json | undefined }) => {
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(
    () => jsonRows(value, (path, depth, size) => (depth < 2 && size <= 20) !== changed.has(path)),
    [value, changed],
  );
  const toggle = (path: string): void =>
    setChanged((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  if (rows.length > ALL) return <LongTree rows={rows} toggle={toggle} />;
  return (
    <div className="font-mono text-xs" data-json>
      {rows.map((row) => (
        <Line key={row.path} row={row} toggle={toggle} />
      ))}
    </div>
  );
};

interface TreeProps {
  readonly rows: readonly JsonRow[];
  readonly toggle: (path: string) => void;
}

const LongTree = ({ rows, toggle }: TreeProps) => {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE,
    overscan: 20,
    getItemKey: (index) => rows[index]!.path,
  });
  return (
    <div
      ref={box}
      tabIndex={0}
      role="group"
      aria-label="Data"
      className="max-h-96 overflow-auto rounded-md bg-sunken p-1 font-mono text-xs"
      data-json
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            data-index={index}
            ref={virtual.measureElement}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            <Line row={rows[index]!} toggle={toggle} />
          </div>
        ))}
      </div>
    </div>
  );
};

const Line = ({ row, toggle }: { readonly row: JsonRow; readonly toggle: (path: string) => void }) => {
  const { value, size } = row;
  const [isWhole, setIsWhole] = useState(false);
  const isLong = typeof value === "string" && (value.length > 120 || value.includes("\n"));
  const line = (
    <>
      {row.key !== undefined && <span className="shrink-0 text-soft">{visibleText(row.key)}:</span>}
      {isWhole ? (
        <span className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          {visibleText(String(value).slice(0, MOST))}
        </span>
      ) : (
        <span className={`truncate ${colorOf(value)}`}>{jsonLine(value, size, row.isOpen)}</span>
      )}
    </>
  );
  const style = "flex min-h-5.5 w-full items-start gap-1.5 rounded-sm text-left leading-5.5";
  const indent = { paddingLeft: `${Math.min(row.depth, 30) * 0.9 + (size > 0 || isLong ? 0 : 1.1)}rem` };
  if (size === 0 && !isLong)
    return (
      <div className={style} style={indent}>
        {line}
      </div>
    );
  const isOpen = size > 0 ? row.isOpen : isWhole;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => (size > 0 ? toggle(row.path) : setIsWhole(!isWhole))}
      className={`${style} cursor-pointer hover:bg-tint`}
      style={indent}
    >
      <IconChevron className={`h-5.5 w-3 text-soft ${isOpen ? "rotate-90" : ""}`} />
      {line}
    </button>
  );
};

const MOST = 100_000;

const colorOf = (value: Json | undefined): string => {
  if (typeof value === "string") return "text-ok";
  if (typeof value === "number") return "text-accent";
  if (typeof value === "boolean") return "text-executing";
  return "text-soft";
};
