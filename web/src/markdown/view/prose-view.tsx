import { beginsTask, type Block, grownText, lastText, withoutBox } from "runcast/markdown";
import { InlineView } from "./inline-view.tsx";
import { useMarkdown } from "./markdown-context.ts";
import { useGrowing } from "./use-growing.ts";

/** A piece of a paragraph or heading. */
export const ProseView = ({ piece }: { readonly piece: Block }) => {
  const { reader, elements } = useMarkdown();
  const inlines = reader.parser.inlines(piece);
  const task = beginsTask(piece);
  useGrowing(piece, {
    place: () => elements.get(piece.parent!),
    shown: task ? undefined : lastText(inlines),
    next: () => (beginsTask(piece) === task ? grownText(inlines, reader.parser.inlines(piece)) : false),
  });
  return <InlineView inlines={task ? withoutBox(inlines) : inlines} />;
};
