import type { ReactElement } from "react";
import type { Json } from "runcast/events";

/** The content of a result: a text, a value, or both for a text that is JSON. */
export interface Shapeable {
  readonly text?: string | undefined;
  readonly value?: Json | undefined;
  /** The text is known to be CSV, from the type of its file. */
  readonly isCsv?: boolean;
}

/** One way to show a result. */
export interface Shape {
  /** The label of the button that selects it. */
  readonly label: string;
  /** Renders the content, or returns undefined if it does not have this shape. Reads only as much of a long text as needed. */
  show(content: Shapeable): ReactElement | undefined;
}
