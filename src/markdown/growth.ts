import type { Inline } from "./inline.ts";
import { visibleText } from "./visible-text.ts";

/** The displayed text at the end of the inlines, or undefined if they end with another kind. */
export const lastText = (inlines: readonly Inline[]): string | undefined => {
  const last = inlines.at(-1);
  return last?.kind === "text" ? visibleText(last.text) : undefined;
};

/**
 * The last text of `after`, if everything before it equals `before`. A view then only has to extend its last text node.
 */
export const grownText = (before: readonly Inline[], after: readonly Inline[]): string | undefined =>
  before.length === after.length && before.slice(0, -1).every((inline, index) => isSame(inline, after[index]!))
    ? lastText(after)
    : undefined;

const isSame = (one: Inline, other: Inline): boolean => {
  for (const key of Object.keys(one) as (keyof Inline)[]) {
    const value: unknown = one[key];
    const counterpart: unknown = other[key];
    if (!Array.isArray(value)) {
      if (value !== counterpart) return false;
    } else if (!Array.isArray(counterpart) || counterpart.length !== value.length) return false;
    else if (!value.every((child: Inline, index) => isSame(child, counterpart[index] as Inline))) return false;
  }
  return true;
};
