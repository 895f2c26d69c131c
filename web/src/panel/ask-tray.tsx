import { memo, useId, useState } from "react";
import type { AskNode, RunState } from "runcast/state";
import { counted, describeAsk, whoAsks } from "runcast/view";
import { IconChevron, IconHand } from "../kit/icons.tsx";
import type { RunActions } from "../run/actions.ts";
import { AskForm } from "../run/ask-form.tsx";
import { useRunIndexes } from "../run/use-run-indexes.ts";

export interface AskTrayProps {
  /** The runs of the conversation, in order. The same array while its content is unchanged. */
  readonly runs: readonly RunState[];
  readonly actionsOf: (run: RunState) => RunActions;
  /** Scrolls an ask's card into view. */
  readonly onJump: (run: RunState, node: string) => void;
  /** The label of the button for it. Default: "Show in chat". */
  readonly jumpLabel?: string;
  /** Whether the first ask is expanded initially. Default: true. */
  readonly startsOpen?: boolean;
}

/** All open asks of a conversation, which can be answered in any order. Renders nothing if there are none. */
export const AskTray = memo(
  ({ runs, actionsOf, onJump, jumpLabel = "Show in chat", startsOpen = true }: AskTrayProps) => {
    const asks = useRunIndexes(runs).flatMap(({ state, openAsks }) => [...openAsks].map((node) => ({ state, node })));
    if (asks.length === 0) return null;
    return (
      <section
        aria-label="Open questions"
        data-tray={asks.length}
        className="flex max-h-[50vh] min-h-0 flex-col overflow-y-auto rounded-xl border border-pending bg-warm text-sm shadow-lg"
      >
        <p className="flex items-center gap-2 px-3 pt-2 font-medium text-pending">
          <IconHand />
          {asks.length === 1
            ? "The agent is waiting for you"
            : `The agent is waiting for you: ${counted(asks.length, "question")}`}
        </p>
        <ul className="flex flex-col">
          {asks.map(({ state, node }, index) => (
            <li key={`${state.run} ${node.id}`} className="border-line not-first:border-t">
              <TrayAsk
                state={state}
                node={node}
                actions={actionsOf(state)}
                startsOpen={startsOpen && index === 0}
                onJump={onJump}
                jumpLabel={jumpLabel}
              />
            </li>
          ))}
        </ul>
      </section>
    );
  },
);

interface TrayAskProps {
  readonly state: RunState;
  readonly node: AskNode;
  readonly actions: RunActions;
  readonly startsOpen: boolean;
  readonly onJump: (run: RunState, node: string) => void;
  readonly jumpLabel: string;
}

const TrayAsk = ({ state, node, actions, startsOpen, onJump, jumpLabel }: TrayAskProps) => {
  const [chosen, setChosen] = useState<boolean>();
  const id = useId();
  const open = chosen ?? startsOpen;
  const { title } = describeAsk(node);
  const { tool, agent } = whoAsks(state, node);
  // Do not repeat the tool's name if the title contains it.
  const who = [open || !title.includes(tool) ? tool : undefined, agent && `for ${agent}`].filter(Boolean).join(", ");
  return (
    <div className="flex min-w-0 flex-col">
      <div className="flex min-w-0 items-center gap-2 px-3 py-1.5">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setChosen(!open)}
          className="flex min-w-0 flex-1 cursor-pointer items-center gap-1.5 text-left"
        >
          <IconChevron className={`size-3.5 text-soft ${open ? "rotate-90" : ""}`} />
          <span className="min-w-0 truncate">
            {!open && <span>{title} </span>}
            <span className="text-soft">{who}</span>
          </span>
        </button>
        <button
          type="button"
          onClick={() => onJump(state, node.id)}
          className="shrink-0 cursor-pointer text-xs text-accent underline"
        >
          {jumpLabel}
        </button>
      </div>
      <div id={id} hidden={!open} className="px-3 pb-3">
        {open && <AskForm state={state} node={node} actions={actions} />}
      </div>
    </div>
  );
};
