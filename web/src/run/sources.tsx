import { memo, useId, useState } from "react";
import type { EventOf } from "runcast/events";
import type { MarkNode } from "runcast/state";
import { describeAside, visibleText } from "runcast/view";
import { IconQuote } from "../kit/icons.tsx";
import { SafeLink } from "./safe-link.tsx";

/** The sources of an answer: a pill for each, with its text on demand. */
export const Sources = memo(({ items }: { readonly items: readonly MarkNode[] }) => {
  const [open, setOpen] = useState<string>();
  const id = useId();
  const shown = items.find((item) => item.id === open);
  return (
    <div className="lane-full flex min-w-0 flex-col gap-1.5" data-kind="sources" data-quiet>
      <ul className="flex flex-wrap gap-1.5" aria-label="Sources">
        {items.map((item) => (
          <li key={item.id} className="max-w-full">
            <button
              type="button"
              aria-expanded={item.id === open}
              aria-controls={id}
              onClick={() => setOpen(item.id === open ? undefined : item.id)}
              className="inline-flex max-w-full cursor-pointer items-center gap-1.5 rounded-full border border-line bg-page px-2 py-0.5 text-xs hover:border-accent aria-expanded:border-accent"
            >
              <IconQuote className="size-3 text-soft" />
              <span className="truncate">{titleOf(item)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div id={id} hidden={!shown}>
        {shown && <Source node={shown} />}
      </div>
    </div>
  );
});

const Source = ({ node }: { readonly node: MarkNode }) => {
  const facts = describeAside(node);
  const { text } = node.event as EventOf<"citation">;
  if (facts.kind !== "citation") return null;
  return (
    <blockquote className="border-l-2 border-line pl-3 text-sm">
      {facts.link && <SafeLink link={facts.link} />}
      {text && (
        <p className="max-h-60 overflow-auto whitespace-pre-wrap [overflow-wrap:anywhere]">{visibleText(text)}</p>
      )}
      <p className="text-xs text-soft">{facts.about}</p>
    </blockquote>
  );
};

const titleOf = (node: MarkNode): string => {
  const facts = describeAside(node);
  return facts.kind === "citation" ? facts.title : "";
};
