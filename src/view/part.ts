import type { Node, PartNode } from "../state.ts";
import { duration } from "./amounts.ts";
import { partTime, type Time } from "./time.ts";

/** Whether the node has ended. */
export const isOver = ({ endedAt }: Pick<Node, "endedAt">): boolean => endedAt !== undefined;

/** Display data for a text part, besides the text itself. */
export interface TextFacts {
  readonly isOver: boolean;
  /** Another text has replaced it. */
  readonly isReplaced: boolean;
  readonly takesPlace: boolean;
  readonly isEmpty: boolean;
  /** A note that the text was cut off. Empty if it was not. */
  readonly note: string;
}

export const describeText = (part: PartNode): TextFacts => ({
  isOver: part.endedAt !== undefined,
  isReplaced: part.replacedBy !== undefined,
  takesPlace: part.replaces !== undefined,
  isEmpty: part.text === "",
  note: part.cut ? "(cut off here)" : "",
});

/** Display data for a thinking part. */
export interface ThinkingFacts {
  readonly isOver: boolean;
  readonly title: string;
  readonly isEmpty: boolean;
  /** When the thinking started. Undefined once it is over, when the title contains the duration. */
  readonly time: Time | undefined;
  /** Shown in place of redacted thinking. Empty if there is text. */
  readonly note: string;
}

export const describeThinking = (part: PartNode): ThinkingFacts => {
  const time = partTime(part);
  const isOver = part.endedAt !== undefined;
  return {
    isOver,
    title: !isOver ? "Thinking" : time && "ms" in time ? `Thought for ${duration(time.ms)}` : "Thinking, cut off",
    isEmpty: part.text === "",
    time: isOver ? undefined : time,
    note: part.redacted && part.text === "" ? "The provider does not reveal this thinking." : "",
  };
};
