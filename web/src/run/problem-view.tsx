import type { Problem } from "runcast/events";
import { visibleText } from "runcast/markdown";

/** What went wrong, and what to do about it. What a person stopped did not go wrong. */
export const ProblemView = ({ problem, wasStopped = false }: ProblemViewProps) => (
  <div className="text-sm [overflow-wrap:anywhere]" data-problem>
    <p className={`whitespace-pre-wrap ${wasStopped ? "text-soft" : "text-bad"}`}>
      {visibleText(clipped(problem.message))}
    </p>
    {problem.hint && <p className="text-soft">What to do: {visibleText(problem.hint)}</p>}
  </div>
);

interface ProblemViewProps {
  readonly problem: Problem;
  readonly wasStopped?: boolean;
}

const LONGEST = 4000;
const clipped = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
