import type { Block } from "./block.ts";
import type { Inline } from "./inline.ts";

const BOX = /^\[([ xX])\](?=\s)/;
const BOX_LENGTH = 4;

/** Whether a list item is a task, determined by its leading checkbox. */
export const taskOf = (item: Block): "done" | "to do" | undefined => {
  const first = item.children[0];
  const found = first?.kind === "paragraph" ? BOX.exec(first.children[0]!.text) : undefined;
  return found ? (found[1] === " " ? "to do" : "done") : undefined;
};

/** Whether a piece of prose starts with a task's checkbox. */
export const beginsTask = ({ index, parent }: Block): boolean =>
  index === 0 && parent!.index === 0 && parent!.parent!.kind === "item" && taskOf(parent!.parent!) !== undefined;

/** Removes the leading checkbox, which views draw themselves. */
export const withoutBox = (inlines: readonly Inline[]): readonly Inline[] => {
  const [first, ...others] = inlines;
  return first?.kind === "text" ? [{ ...first, text: first.text.slice(BOX_LENGTH) }, ...others] : inlines;
};
