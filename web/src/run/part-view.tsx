import { memo, useState } from "react";
import { duration } from "runcast/amounts";
import type { PartNode } from "runcast/state";
import { IconChevron, IconThought } from "../kit/icons.tsx";
import { LiveMarkdown } from "../markdown/live-markdown.tsx";
import { Elapsed } from "./elapsed.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { useWatch } from "./use-watch.ts";

/** Renders again when a part begins to have text, ends, is cut or is replaced: its text grows by itself. */
const usePart = (part: PartNode): PartNode => {
  const { state } = useRunContext();
  useWatch(state, part.id, () => `${part.text === ""} ${part.endedAt} ${part.cut} ${part.replacedBy}`);
  return part;
};

/** The model's words, or a tool's own. */
export const TextPart = memo(({ node }: { readonly node: PartNode }) => {
  const { state } = useRunContext();
  const part = usePart(node);
  if (part.replacedBy !== undefined || part.text === "") return null;
  return (
    <div data-node={part.id} data-kind="text" tabIndex={-1} aria-busy={part.endedAt === undefined}>
      <LiveMarkdown state={state} part={part} />
      {part.cut && <p className="text-sm text-soft">(cut off here)</p>}
    </div>
  );
});

/** The model's thoughts: open while they come, folded when they are done, never lost. */
export const ThinkingPart = memo(({ node }: { readonly node: PartNode }) => {
  const { state } = useRunContext();
  const part = usePart(node);
  const [chosen, setChosen] = useState<boolean>();
  useOpener(node.id, () => setChosen(true));
  const ended = part.endedAt;
  const open = chosen ?? ended === undefined;
  if (part.redacted && part.text === "")
    return <p className="text-sm text-soft">The model thought; its provider keeps this to itself.</p>;
  return (
    <details
      data-node={part.id}
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
        {ended === undefined ? (
          <span>
            Thinking <Elapsed since={part.startedAt} className="tabular-nums" />
          </span>
        ) : (
          <span>{part.cut ? "Thought, cut off" : `Thought for ${duration(ended - part.startedAt)}`}</span>
        )}
        <IconChevron className={`size-3.5 ${open ? "rotate-90" : ""}`} />
      </summary>
      {open && part.text !== "" && (
        <div className="border-t border-line px-3 py-2" aria-busy={ended === undefined}>
          <LiveMarkdown state={state} part={part} />
        </div>
      )}
    </details>
  );
});
