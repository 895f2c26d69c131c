import { PlainText } from "../plain-text.tsx";
import type { Shape } from "../shape.ts";

/** Any text, unformatted. */
export const plain: Shape = {
  label: "Show as it came",
  show: ({ text }) => (text === undefined ? undefined : <PlainText text={text} />),
};
