import { memo } from "react";
import { useNode } from "runcast/react";
import type { AskNode } from "runcast/state";
import { describeAsk } from "runcast/view";
import { IconHand } from "../kit/icons.tsx";
import { AskForm } from "./ask-form.tsx";
import { useRunContext } from "./run-context.ts";

/** An ask at its position in the run. */
export const AskCard = memo(({ node }: { readonly node: AskNode }) => {
  const { state, actions } = useRunContext();
  const { isOpen } = describeAsk(useNode(state, node));
  return (
    <div
      role="group"
      data-node={node.id}
      data-kind="ask"
      {...(!isOpen && { "data-quiet": "" })}
      tabIndex={-1}
      aria-label="Question for you"
      className={`lane-full flex min-w-0 gap-2 rounded-lg border p-2.5 ${isOpen ? "border-pending bg-warm" : "border-line bg-page"}`}
    >
      <span className={`mt-0.5 ${isOpen ? "text-pending" : "text-soft"}`}>
        <IconHand />
      </span>
      <div className="min-w-0 flex-1">
        <AskForm isOnCard state={state} node={node} actions={actions} />
      </div>
    </div>
  );
});
