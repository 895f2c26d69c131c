import { memo, useState } from "react";
import type { PartNode } from "runcast/state";
import { describeText, describeThinking } from "runcast/view";
import { IconChevron, IconThought } from "../kit/icons.tsx";
import { LiveMarkdown } from "../markdown/live-markdown.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { TimeView } from "./time-view.tsx";
import { useWatch } from "./use-watch.ts";

/** Renders again when the display data of a part changes. The text itself grows without rendering. */
const usePart = <Facts extends object>(part: PartNode, describe: (part: PartNode) => Facts): Facts => {
  const { state } = useRunContext();
  useWatch(state, part.id, () => JSON.stringify(describe(part)));
  return describe(part);
};

/** The model's text, or a tool's own. */
export const TextPart = memo(({ node }: { readonly node: PartNode }) => {
  const { state } = useRunContext();
  const { isOver, isReplaced, isEmpty, note } = usePart(node, describeText);
  if (isReplaced || (isEmpty && note === "")) return null;
  return (
    <div data-node={node.id} data-kind="text" tabIndex={-1} aria-busy={!isOver}>
      {!isEmpty && <LiveMarkdown state={state} part={node} />}
      {note && <p className="text-sm text-soft">{note}</p>}
    </div>
  );
});

/** The model's thinking: expanded while it streams, collapsed when it is done, never removed. */
export const ThinkingPart = memo(({ node }: { readonly node: PartNode }) => {
  const { state } = useRunContext();
  const { isOver, title, time, note, isEmpty } = usePart(node, describeThinking);
  const [chosen, setChosen] = useState<boolean>();
  useOpener(node.id, () => setChosen(true));
  const open = chosen ?? !isOver;
  return (
    <details
      data-node={node.id}
      data-kind="thinking"
      tabIndex={-1}
      open={open}
      className="rounded-lg border border-line bg-card/60 text-sm text-soft"
    >
      <summary
        onClick={(event) => {
          event.preventDefault();
          setChosen(!open);
        }}
        className="flex cursor-pointer list-none items-center gap-2 px-2.5 py-1.5"
      >
        <IconThought />
        <span data-title>{title}</span>
        <TimeView time={time} className="tabular-nums" />
        <IconChevron className={`size-3.5 ${open ? "rotate-90" : ""}`} />
      </summary>
      {open && (!isEmpty || note) && (
        <div className="border-t border-line px-3 py-2" aria-busy={!isOver}>
          {note || <LiveMarkdown state={state} part={node} />}
        </div>
      )}
    </details>
  );
});
