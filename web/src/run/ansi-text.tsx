import { type AnsiColor, spansOf } from "./ansi.ts";

/** Terminal colors mapped to the page's colors, which are readable in both themes. */
const COLORS: Readonly<Record<AnsiColor, string>> = {
  black: "text-soft",
  red: "text-bad",
  green: "text-ok",
  yellow: "text-pending",
  blue: "text-accent",
  magenta: "text-executing",
  cyan: "text-accent",
  white: "text-ink",
};

/** Terminal output in its colors. Text without a color inherits the surrounding one. */
export const AnsiText = ({ text }: { readonly text: string }) =>
  spansOf(text).map((span, index) => (
    <span
      // Spans have no ids. Their text only changes at the end.
      // oxlint-disable-next-line react/no-array-index-key
      key={index}
      className={`${span.color ? COLORS[span.color] : ""} ${span.bold ? "font-bold" : ""} ${span.dim ? "text-soft" : ""}`}
    >
      {span.text}
    </span>
  ));
