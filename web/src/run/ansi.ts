import { visibleText } from "runcast/view";
/** A piece of terminal output with one style. `color` is one of eight names. Bright colors map to their normal ones. */
export interface Span {
  readonly text: string;
  readonly color: AnsiColor | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
}

const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
export type AnsiColor = (typeof COLORS)[number];

// CSI sequences, string commands up to their terminator, and lone escapes, including incomplete ones at the end.
const ESCAPE =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[([\d;:?<=>]*)[ -/]*([@-~])?|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]?)|\u009b([\d;]*)([@-~])?/g;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Splits terminal output into styled spans. Keeps colors and weight, and removes all other control sequences. */
export const spansOf = (output: string): Span[] => {
  const spans: Span[] = [];
  let look: Omit<Span, "text"> = { color: undefined, bold: false, dim: false };
  let from = 0;
  const take = (text: string): void => {
    const clean = visibleText(overwritten(text).replaceAll(CONTROL, ""));
    if (clean !== "") spans.push({ text: clean, ...look });
  };
  for (const match of output.matchAll(ESCAPE)) {
    take(output.slice(from, match.index));
    from = match.index + match[0].length;
    const [, codes = match[3] ?? "", letter = match[4]] = match;
    if (letter === "m") look = applied(look, codes);
  }
  take(output.slice(from));
  return spans;
};

/** A line that was overwritten, such as a progress bar, shows only its last content. */
const overwritten = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll(/[^\n]*\r(?=[^\n])/g, "")
    .replaceAll("\r", "");

const applied = (look: Omit<Span, "text">, codes: string): Omit<Span, "text"> => {
  const numbers = codes.split(/[;:]/).map(Number);
  let now = look;
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index]!;
    if (code === 0) now = { color: undefined, bold: false, dim: false };
    else if (code === 1) now = { ...now, bold: true };
    else if (code === 2) now = { ...now, dim: true };
    else if (code === 22) now = { ...now, bold: false, dim: false };
    else if (code === 39) now = { ...now, color: undefined };
    else if (code >= 30 && code <= 37) now = { ...now, color: COLORS[code - 30] };
    else if (code >= 90 && code <= 97) now = { ...now, color: COLORS[code - 90] };
    // An extended color consumes its following numbers.
    else if (code === 38 || code === 48) index += numbers[index + 1] === 5 ? 2 : numbers[index + 1] === 2 ? 4 : 0;
  }
  return now;
};
