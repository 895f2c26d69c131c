import type { Node, PartNode } from "../state.ts";
import { duration } from "./amounts.ts";
import { partTime, type Time } from "./time.ts";

/** Whether nothing more can come of it. */
export const isOver = ({ endedAt }: Pick<Node, "endedAt">): boolean => endedAt !== undefined;

/** What a person is told of a text besides its words. */
export interface TextFacts {
  readonly isOver: boolean;
  /** Another text has taken its place. */
  readonly isReplaced: boolean;
  readonly takesPlace: boolean;
  readonly isEmpty: boolean;
  /** That it was broken off; empty if it was not. */
  readonly note: string;
}

export const describeText = (part: PartNode): TextFacts => ({
  isOver: part.endedAt !== undefined,
  isReplaced: part.replacedBy !== undefined,
  takesPlace: part.replaces !== undefined,
  isEmpty: part.text === "",
  note: part.cut ? "(cut off here)" : "",
});

/** What a person is told of a thought. */
export interface ThinkingFacts {
  readonly isOver: boolean;
  readonly title: string;
  readonly isEmpty: boolean;
  /** Since when it goes on; undefined when it is over: the title says how long it took. */
  readonly time: Time | undefined;
  /** What stands in place of words that nobody may see; empty if there are words. */
  readonly note: string;
}

export const describeThinking = (part: PartNode): ThinkingFacts => {
  const time = partTime(part);
  const isOver = part.endedAt !== undefined;
  return {
    isOver,
    title: !isOver ? "Thinking" : time && "ms" in time ? `Thought for ${duration(time.ms)}` : "Thought, cut off",
    isEmpty: part.text === "",
    time: isOver ? undefined : time,
    note: part.redacted && part.text === "" ? "The provider does not show these thoughts." : "",
  };
};
