import { visibleText } from "../markdown.ts";

/** A run's words on one line, with nothing hidden in them. Looks only at the beginning of a text, however long it is. */
export const oneLine = (text: string, longest = 400): string =>
  clip(
    visibleText(
      text
        .slice(0, longest * 2)
        .replaceAll(/\s+/g, " ")
        .trim(),
    ),
    longest,
  );

/** The text, or its beginning and an ellipsis. */
export const clip = (text: string, longest: number): string => {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 1);
  // Half of a character is none.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
};

/** A server's words begin small and end without a period, because they continue a name. */
export const sentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
};
