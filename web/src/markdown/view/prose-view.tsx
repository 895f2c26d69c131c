import { type Block, type Inline, visibleText } from "runcast/markdown";
import { InlineView } from "./inline-view.tsx";
import { useMarkdown } from "./markdown-context.ts";
import { useGrowing } from "./use-growing.ts";

/** The box of a task at the beginning of an item. */
export const TASK = /^\[([ xX])\](?=\s)/;

/** A piece of a paragraph or heading. */
export const ProseView = ({ piece }: { readonly piece: Block }) => {
  const { reader, elements } = useMarkdown();
  const inlines = reader.parser.inlines(piece);
  const isFirst = piece.index === 0 && piece.parent!.index === 0 && piece.parent!.parent!.kind === "item";
  const task = isFirst && TASK.test(piece.text);
  useGrowing(piece, {
    place: () => elements.get(piece.parent!),
    shown: task ? undefined : lastText(inlines),
    next: () => {
      if (isFirst && TASK.test(piece.text) !== task) return false;
      const now = reader.parser.inlines(piece);
      return isSameBeforeLast(inlines, now) ? lastText(now) : undefined;
    },
  });
  return <InlineView inlines={inlines} task={task} />;
};

const lastText = (inlines: readonly Inline[]): string | undefined => {
  const last = inlines.at(-1);
  return last?.kind === "text" ? visibleText(last.text) : undefined;
};

const isSameBeforeLast = (one: readonly Inline[], other: readonly Inline[]): boolean =>
  one.length === other.length &&
  one.every((inline, index) => index === one.length - 1 || isSame(inline, other[index]!));

const isSame = (one: Inline, other: Inline): boolean => {
  for (const key of Object.keys(one) as (keyof Inline)[]) {
    const value: unknown = one[key];
    const beside: unknown = other[key];
    if (!Array.isArray(value)) {
      if (value !== beside) return false;
    } else if (!Array.isArray(beside) || beside.length !== value.length) return false;
    else if (!value.every((child: Inline, index) => isSame(child, beside[index] as Inline))) return false;
  }
  return true;
};
