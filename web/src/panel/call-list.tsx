import { useMemo, useRef, useState } from "react";
import type { CallNode, RunState } from "runcast/state";
import { badgeOf, CALL_STATES, type CallFilter, createMatcher, isOver, NO_FILTER } from "runcast/view";
import { VirtualList } from "../kit/virtual-list.tsx";
import { CallRow } from "./call-row.tsx";

export interface ListedCall {
  readonly run: RunState;
  readonly call: CallNode;
}

interface CallListProps {
  readonly calls: readonly ListedCall[];
  readonly slow: (name: string) => number;
  readonly onJump: (run: RunState, node: string) => void;
}

const LINE = 44;

/** Running calls first, then all others, newest first, filtered. */
export const CallList = ({ calls, slow, onJump }: CallListProps) => {
  const [filter, setFilter] = useState<CallFilter>(NO_FILTER);
  const [matches] = useState(createMatcher);
  const found = useMemo(() => calls.filter(({ call }) => matches(call, filter)), [calls, filter, matches]);
  const running = found.filter(({ call }) => !isOver(call));
  const over = useMemo(() => found.filter(({ call }) => isOver(call)).reverse(), [found]);
  const names = useMemo(() => [...new Set(calls.map(({ call }) => call.name))].sort(), [calls]);
  if (calls.length === 0)
    return <p className="text-soft">No tool calls yet. They appear here as soon as the agent makes them.</p>;
  return (
    <>
      <Filter filter={filter} onFilter={setFilter} names={names} />
      {running.length > 0 && (
        <section
          aria-label="Running now"
          className="relative flex max-h-[50%] shrink-0 flex-col overflow-y-auto rounded-lg border border-executing/50 bg-card"
          data-running={running.length}
          tabIndex={0}
        >
          {running.length > 1 && <p className="px-2.5 pt-1.5 text-xs text-soft">{running.length} in parallel</p>}
          {running.map(({ run, call }) => (
            <CallRow key={call.id} run={run} call={call} slow={slow(call.name)} onJump={onJump} />
          ))}
        </section>
      )}
      {found.length === 0 && (
        <p role="status" className="text-soft">
          No matching calls.{" "}
          <button type="button" onClick={() => setFilter(NO_FILTER)} className="cursor-pointer text-accent underline">
            Show all
          </button>
        </p>
      )}
      <Finished calls={over} slow={slow} onJump={onJump} />
    </>
  );
};

const Finished = ({ calls, slow, onJump }: CallListProps) => {
  const box = useRef<HTMLDivElement>(null);
  return (
    <VirtualList
      label="Finished calls"
      items={calls}
      box={box}
      line={LINE}
      keyOf={({ run, call }) => `${run.run} ${call.id}`}
    >
      {({ run, call }) => <CallRow run={run} call={call} slow={slow(call.name)} onJump={onJump} />}
    </VirtualList>
  );
};

interface FilterProps {
  readonly filter: CallFilter;
  readonly onFilter: (filter: CallFilter) => void;
  readonly names: readonly string[];
}

const Filter = ({ filter, onFilter, names }: FilterProps) => {
  const style = "min-w-0 rounded-md border border-line bg-card px-2 py-1 text-xs text-ink";
  return (
    <div className="grid grid-cols-2 gap-1.5">
      <input
        type="search"
        aria-label="Search arguments and results"
        placeholder="Search arguments and results"
        value={filter.text}
        onChange={(event) => onFilter({ ...filter, text: event.target.value })}
        className={`${style} col-span-2 placeholder:text-soft`}
      />
      <select
        aria-label="Tool"
        value={filter.tool}
        onChange={(event) => onFilter({ ...filter, tool: event.target.value })}
        className={style}
      >
        <option value="">Any tool</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="State"
        value={filter.state}
        onChange={(event) => onFilter({ ...filter, state: event.target.value as CallFilter["state"] })}
        className={style}
      >
        <option value="">Any state</option>
        <option value="open">not finished</option>
        {CALL_STATES.map((state) => (
          <option key={state} value={state}>
            {badgeOf(state).word}
          </option>
        ))}
      </select>
    </div>
  );
};
