import type { AskNode, RunState } from "runcast/state";
import { describeAsk, whoAsks } from "runcast/view";
import type { RunActions } from "../run/actions.ts";
import { AskForm } from "../run/ask-form.tsx";

interface AskListProps {
  readonly state: RunState;
  readonly asks: readonly AskNode[];
  readonly actions: RunActions;
}

/** The open asks of a run, which can be answered in any order. */
export const AskList = ({ state, asks, actions }: AskListProps) => (
  <ul aria-label="Open questions" className="flex flex-col gap-3">
    {asks.map((node) => (
      <li key={node.id} className="flex min-w-0 flex-col gap-1 rounded-xl border border-pending bg-warm p-3">
        <p className="truncate text-xs text-soft empty:hidden">{askerOf(state, node)}</p>
        <AskForm state={state} node={node} actions={actions} />
      </li>
    ))}
  </ul>
);

/** Who asks, without the tool's name if the question contains it. */
const askerOf = (state: RunState, node: AskNode): string => {
  const { tool, agent } = whoAsks(state, node);
  const isNamed = describeAsk(node).title.includes(tool);
  return [isNamed ? "" : tool, agent && `for ${agent}`].filter(Boolean).join(", ");
};
