import type { ProblemFacts } from "../view.ts";
import { type LineOptions, line } from "./line.ts";
import { oneLine, terminalText, wrap } from "./terminal-text.ts";

/** What the user should know or do about how something ended. */
export const adviceLines = (advice: string, options: LineOptions): string[] =>
  advice === ""
    ? []
    : wrap(terminalText(advice), options.width - 2).map((words, index) =>
        line([["yellow", `${index === 0 ? "→" : " "} ${words}`]], options),
      );

export const problemLines = (problem: ProblemFacts | undefined, options: LineOptions): string[] =>
  !problem
    ? []
    : [
        ...wrap(terminalText(problem.message), options.width)
          .slice(0, 6)
          .map((words) => line([[problem.tone === "bad" ? "red" : "yellow", words]], options)),
        ...(problem.hint ? [line([["dim", oneLine(problem.hint)]], options)] : []),
      ];
