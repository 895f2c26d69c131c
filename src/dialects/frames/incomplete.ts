import type { Event, Finish } from "../../events.ts";
import { type Incomplete, incompleteOf } from "../../protocol.ts";

export { type Incomplete, incompleteOf, incompleteText } from "../../protocol.ts";

/** Follows the events of a run. After `run-end`, it knows whether the output is complete. */
export interface AnswerEnd {
  take(event: Event): void;
  /** Undefined if the output is complete, and for a failed run, which reports its own error. */
  readonly incomplete: Incomplete | undefined;
}

export const createAnswerEnd = (): AnswerEnd => {
  let finish: Finish | undefined;
  return {
    take(event) {
      if (event.type === "step-end" && event.agent === undefined) finish = event.finish;
      else if (event.type === "run-end" && event.outcome !== "done") finish = undefined;
    },
    get incomplete() {
      return incompleteOf(finish);
    },
  };
};
