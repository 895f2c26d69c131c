/**
 * Characters that change what a person sees without being seen: they turn the direction of text, or hide text for machines.
 * They are shown by their number, so that code and addresses read as they are.
 */
export const visibleText = (text: string): string =>
  HIDDEN.test(text)
    ? text.replaceAll(ALL_HIDDEN, (char) => `⟦U+${char.codePointAt(0)!.toString(16).toUpperCase()}⟧`)
    : text;

const HIDDEN = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;
const ALL_HIDDEN = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;
