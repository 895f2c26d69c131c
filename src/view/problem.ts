import type { Problem } from "../events.ts";
import { visibleText } from "../markdown.ts";
import { clip } from "./text.ts";

/** What went wrong and what to do about it. A cancellation by the user is not shown as an error. */
export interface ProblemFacts {
  readonly message: string;
  /** Empty if there is nothing to do. */
  readonly hint: string;
  readonly tone: "bad" | "stopped";
}

const LONGEST = 4000;

export const describeProblem = (problem: Problem | undefined, state: string | undefined): ProblemFacts | undefined =>
  problem && {
    message: visibleText(clip(problem.message, LONGEST)),
    hint: problem.hint ? `What to do: ${visibleText(clip(problem.hint, LONGEST))}` : "",
    tone: state === "cancelled" ? "stopped" : "bad",
  };
