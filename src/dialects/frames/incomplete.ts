import type { Event, Finish } from "../../events.ts";

/** Why the output of a finished run is incomplete, and what the user can do about it. */
export interface Incomplete {
  readonly finish: "length" | "filter" | "interrupted";
  readonly message: string;
  readonly hint: string;
}

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

/** Undefined for the finish of a complete output and for unknown values. */
export const incompleteOf = (finish: unknown): Incomplete | undefined =>
  finish === "length" || finish === "filter" || finish === "interrupted" ? INCOMPLETE[finish] : undefined;

/** Message and hint as one text, for clients that show only text. */
export const incompleteText = ({ message, hint }: Incomplete): string => `${message} ${hint}`;

const INCOMPLETE: Readonly<Record<Incomplete["finish"], Incomplete>> = {
  length: {
    finish: "length",
    message: "The answer is incomplete: the model reached its output token limit.",
    hint: "Ask the agent to continue, or raise the limit.",
  },
  filter: {
    finish: "filter",
    message: "The answer is incomplete: the provider's content filter stopped it.",
    hint: "Rephrase the request and try again.",
  },
  interrupted: {
    finish: "interrupted",
    message: "The answer is incomplete: its process ended before it was complete.",
    hint: "Ask again.",
  },
};
