import type { Block } from "./block.ts";
import type { Inline } from "./inline.ts";

const BOX = /^\[([ xX])\](?=\s)/;
const BOX_LENGTH = 4;

/** Whether an item of a list is a task, by the box that it begins with. */
export const taskOf = (item: Block): "done" | "to do" | undefined => {
  const first = item.children[0];
  const found = first?.kind === "paragraph" ? BOX.exec(first.children[0]!.text) : undefined;
  return found ? (found[1] === " " ? "to do" : "done") : undefined;
};

/** Whether a piece of prose begins with the box of a task. */
export const beginsTask = ({ index, parent }: Block): boolean =>
  index === 0 && parent!.index === 0 && parent!.parent!.kind === "item" && taskOf(parent!.parent!) !== undefined;

/** The content of a piece that begins with a box, without it: views draw the box themselves. */
export const withoutBox = (inlines: readonly Inline[]): readonly Inline[] => {
  const [first, ...others] = inlines;
  return first?.kind === "text" ? [{ ...first, text: first.text.slice(BOX_LENGTH) }, ...others] : inlines;
};
