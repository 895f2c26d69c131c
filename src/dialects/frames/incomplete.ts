import type { Event, Finish } from "../../events.ts";

/** Why the answer of a run that is done is not whole, and what to do about it. */
export interface Incomplete {
  readonly finish: "length" | "filter" | "interrupted";
  readonly message: string;
  readonly hint: string;
}

/** Follows the events of a run. After its run-end, it knows whether the answer is whole. */
export interface AnswerEnd {
  take(event: Event): void;
  /** Undefined for an answer that is whole, and for a run that has failed: that says so itself. */
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

/** Undefined for a finish of an answer that is whole, and for anything else. */
export const incompleteOf = (finish: unknown): Incomplete | undefined =>
  finish === "length" || finish === "filter" || finish === "interrupted" ? INCOMPLETE[finish] : undefined;

/** Both in one sentence each, for a client that shows only text. */
export const incompleteText = ({ message, hint }: Incomplete): string => `${message} ${hint}`;

const INCOMPLETE: Readonly<Record<Incomplete["finish"], Incomplete>> = {
  length: {
    finish: "length",
    message: "The answer is incomplete: the model reached its limit on output tokens.",
    hint: "Ask the agent to continue, or raise the limit.",
  },
  filter: {
    finish: "filter",
    message: "The answer is incomplete: the provider's content filter stopped it.",
    hint: "Rephrase the request and try again.",
  },
  interrupted: {
    finish: "interrupted",
    message: "The answer is incomplete: it broke off when its process ended.",
    hint: "Ask again.",
  },
};
