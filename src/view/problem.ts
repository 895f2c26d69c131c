import type { Problem } from "../events.ts";
import { visibleText } from "../markdown.ts";
import { clip, sentence } from "./text.ts";

/** What went wrong and what to do about it. What the user cancelled or denied is not shown as an error. */
export interface ProblemFacts {
  readonly message: string;
  /** Empty if there is nothing to do. */
  readonly hint: string;
  readonly tone: "bad" | "stopped";
}

/** The variable of a key that a model lacked, or that its provider rejected. Undefined for any other problem. */
export interface RefusedKey {
  readonly variable: string;
  readonly isRejected: boolean;
}

export const refusedKey = (problem: Problem | undefined): RefusedKey | undefined => {
  const isRejected = problem?.code === "model-unauthorized";
  if (!isRejected && problem?.code !== "model-key-missing") return undefined;
  const [variable] = /\b[A-Z][A-Z0-9_]*_API_KEY\b/.exec(problem.hint ?? "") ?? [];
  return variable === undefined ? undefined : { variable, isRejected };
};

const LONGEST = 4000;

export const describeProblem = (problem: Problem | undefined, state: string | undefined): ProblemFacts | undefined =>
  problem && {
    message: visibleText(clip(problem.message, LONGEST)),
    hint: problem.hint ? `What to do: ${visibleText(clip(problem.hint, LONGEST))}` : "",
    tone: state === "cancelled" || state === "denied" ? "stopped" : "bad",
  };

/** Of a run or a sub-agent. Its message is a sentence, unlike that of a tool, which stays as the tool wrote it. */
export const describeFailure = (problem: Problem | undefined, state: string | undefined): ProblemFacts | undefined => {
  const facts = describeProblem(problem, state);
  return facts && !facts.message.includes("\n") ? { ...facts, message: sentence(facts.message) } : facts;
};
