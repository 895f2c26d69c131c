/**
 * Replaces invisible characters that change how text looks: they change its direction, split or join words, fill space,
 * or carry text that only machines see. Shows their code points and never drops them, because two different commands or
 * addresses must look different. Keeps joiners and variation selectors where a script or an emoji needs them.
 */
export const visibleText = (text: string): string =>
  SUSPECT.test(text)
    ? text.replaceAll(HIDDEN, (char) => `⟦U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`)
    : text;

/** Soft hyphen, combining joiner, fillers, direction marks and overrides, invisible spaces and operators, annotations, tags. */
const ALWAYS =
  "\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{E0000}-\\u{E007F}";
const JOINERS = "\\u200C\\u200D";
const SELECTORS = "\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}";

/** Scripts whose letters change shape next to a joiner. */
const JOINED = [
  "Arabic", "Syriac", "Mongolian", "Nko", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu",
  "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan", "Balinese", "Javanese",
].map((script) => `\\p{Script=${script}}`).join(""); // prettier-ignore

const SUSPECT = new RegExp(`[${ALWAYS}${JOINERS}${SELECTORS}]`, "u");
// Looks only behind, never ahead, so appending to a text does not change what is already shown.
const HIDDEN = new RegExp(
  [
    `[${ALWAYS}]`,
    `(?<![${JOINED}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])[${JOINERS}]`,
    `(?<![\\p{Emoji}\\p{Symbol}\\p{Script=Han}])[${SELECTORS}]`,
  ].join("|"),
  "gu",
);
