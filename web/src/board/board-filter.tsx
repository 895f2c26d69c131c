import { type RefObject, useEffect, useRef, useState } from "react";
import type { NamedAgent } from "runcast/source";
import { ROW_STATES } from "runcast/view";
import { IconSearch } from "../kit/icons.tsx";
import { Segments } from "../kit/segments.tsx";
import type { BoardFilter } from "../session/route.ts";

interface BoardFilterBarProps {
  readonly filter: BoardFilter;
  readonly onFilter: (filter: BoardFilter) => void;
  readonly agents: readonly NamedAgent[];
  /** Whether the user sees the runs of others. */
  readonly hasOthers: boolean;
  readonly search: RefObject<HTMLInputElement | null>;
}

/** The delay between the last key and the request. */
const PAUSE_MS = 250;
const OWNERS = [
  { value: "", label: "Everyone" },
  { value: "1", label: "Mine" },
] as const;
const STYLE = "h-9 min-w-0 rounded-lg border border-line bg-card px-2 text-sm text-ink";

export const BoardFilterBar = ({ filter, onFilter, agents, hasOthers, search }: BoardFilterBarProps) => {
  const [text, setText] = useSearchText(filter, onFilter);
  const { agent = "" } = filter;
  // A run can belong to an agent that is no longer configured.
  const names = [...new Set([...agents.map(({ name }) => name), ...(agent ? [agent] : [])])];
  return (
    <div role="search" aria-label="Runs" className="flex flex-wrap items-center gap-2">
      <label className="flex h-9 min-w-40 grow items-center gap-2 rounded-lg border border-line bg-card px-2.5 text-soft focus-within:border-accent">
        <IconSearch />
        <input
          ref={search}
          type="search"
          value={text}
          maxLength={200}
          onChange={({ target }) => setText(target.value)}
          placeholder="Search runs"
          aria-label="Search runs"
          className="w-full min-w-0 bg-transparent text-sm text-ink outline-none placeholder:text-soft"
        />
      </label>
      <select
        aria-label="State"
        value={filter.state ?? ""}
        onChange={({ target }) => onFilter({ ...filter, state: target.value })}
        className={STYLE}
      >
        <option value="">Any state</option>
        {ROW_STATES.map(({ value, word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
      {names.length > 1 && (
        <select
          aria-label="Agent"
          value={agent}
          onChange={({ target }) => onFilter({ ...filter, agent: target.value })}
          className={`${STYLE} max-w-40`}
        >
          <option value="">Any agent</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {hasOthers && (
        <Segments
          label="Owner"
          options={OWNERS}
          value={filter.mine === "1" ? "1" : ""}
          onChange={(mine) => onFilter({ ...filter, mine })}
          className="h-9 rounded-lg"
        />
      )}
    </div>
  );
};

/** The text of the search field. It updates the filter after a pause, and follows changes of the filter. */
const useSearchText = (filter: BoardFilter, onFilter: (filter: BoardFilter) => void) => {
  const { search: wanted = "" } = filter;
  const [text, setText] = useState(wanted);
  const sent = useRef(wanted);
  useEffect(() => {
    if (wanted === sent.current) return;
    sent.current = wanted;
    setText(wanted);
  }, [wanted]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onFilter({ ...filter, search: text });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, filter, onFilter]);
  return [text, setText] as const;
};
