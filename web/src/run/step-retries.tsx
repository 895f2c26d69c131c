import { memo } from "react";
import { duration } from "runcast/amounts";
import { useNode } from "runcast/react";
import type { StepNode } from "runcast/state";
import { IconRetry } from "../kit/icons.tsx";
import { sentence } from "../kit/sentence.ts";
import { visibleText } from "runcast/markdown";
import { useRunContext } from "./run-context.ts";

/** The requests to the model that had to be made again. A step that went well shows nothing. */
export const StepRetries = memo(({ node }: { readonly node: StepNode }) => {
  const { state } = useRunContext();
  const step = useNode(state, node);
  if (step.retries.length === 0) return null;
  return (
    <ul className="lane-full flex flex-col gap-1 text-sm text-soft" data-node={step.id} tabIndex={-1}>
      {step.retries.map((retry) => (
        <li key={retry.attempt} className="flex items-start gap-2">
          <span className="mt-0.5 text-pending">
            <IconRetry />
          </span>
          <span className="[overflow-wrap:anywhere]">
            The model did not answer: {sentence(visibleText(retry.error.message))} Attempt {retry.attempt} after{" "}
            {duration(retry.wait)}.
          </span>
        </li>
      ))}
    </ul>
  );
});
