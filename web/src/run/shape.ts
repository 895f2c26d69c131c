import type { ReactElement } from "react";
import type { Json } from "runcast/events";

/** What a tool answered with: a text, a value, or a text that is JSON, which is both. */
export interface Shapeable {
  readonly text?: string | undefined;
  readonly value?: Json | undefined;
}

/** One way to show a result. */
export interface Shape {
  /** The words of the button that chooses it. */
  readonly label: string;
  /** Draws this content; undefined if it is not of this shape. Looks no further into a long text than it has to. */
  show(content: Shapeable): ReactElement | undefined;
}
