import { visibleText } from "../markdown.ts";

/** Text on one line, with hidden characters made visible. Reads only the beginning, so long texts are cheap. */
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

/** Returns the text, or its beginning followed by an ellipsis. */
export const clip = (text: string, longest: number): string => {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 1);
  // Drop half of a surrogate pair.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
};

/** Server messages start in lower case and have no final period, because they are often appended to a name. */
export const sentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
};
