import { memo } from "react";
import { useNode } from "runcast/react";
import type { StepNode } from "runcast/state";
import { describeStep } from "runcast/view";
import { IconRetry } from "../kit/icons.tsx";
import { useRunContext } from "./run-context.ts";

/** The retried requests of a step. Renders nothing for a step without retries. */
export const StepRetries = memo(({ node }: { readonly node: StepNode }) => {
  const { state } = useRunContext();
  const { retries } = describeStep(useNode(state, node));
  if (retries.length === 0) return null;
  return (
    <ul className="lane-full flex flex-col gap-1 text-sm text-soft" data-node={node.id} data-kind="step" tabIndex={-1}>
      {retries.map(({ attempt, title }) => (
        <li key={attempt} className="flex items-start gap-2">
          <span className="mt-0.5 text-pending">
            <IconRetry />
          </span>
          <span className="[overflow-wrap:anywhere]" data-retry>
            {title}
          </span>
        </li>
      ))}
    </ul>
  );
});
