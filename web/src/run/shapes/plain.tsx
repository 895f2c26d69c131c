import { PlainText } from "../plain-text.tsx";
import type { Shape } from "../shape.ts";

/** Any text, unformatted. */
export const plain: Shape = {
  label: "Show raw",
  show: ({ text }) => (text === undefined ? undefined : <PlainText text={text} />),
};
