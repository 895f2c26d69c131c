import type { Finish } from "../events.ts";
import type { StepNode } from "../state.ts";
import { duration } from "./amounts.ts";
import { type Badge, badgeOf, type ShownState, WORKING } from "./badge.ts";
import { oneLine, sentence } from "./text.ts";

/** Display data for a step. Only what is unusual is shown. */
export interface StepFacts {
  readonly model: string;
  readonly isOver: boolean;
  /** One entry per attempt after the first. */
  readonly retries: readonly { readonly attempt: number; readonly title: string }[];
}

export const describeStep = (step: StepNode): StepFacts => ({
  model: oneLine(step.model ?? ""),
  isOver: step.endedAt !== undefined,
  retries: step.retries.map(({ attempt, wait, error }) => ({
    attempt,
    title: `The request to the model failed: ${sentence(oneLine(error.message))} Attempt ${attempt} after ${duration(wait)}.`,
  })),
});

/** How a step with this finish is shown. */
export const STEP_ENDS: Readonly<Record<Finish, ShownState>> = {
  stop: "done",
  tools: "done",
  other: "done",
  length: "cut",
  filter: "filtered",
  error: "error",
  cancelled: "cancelled",
  interrupted: "interrupted",
};

export const stepBadge = ({ finish }: StepNode): Badge => (finish === undefined ? WORKING : badgeOf(STEP_ENDS[finish]));
