import { htmlOf, normalHtml } from "../web/markdown-html.ts";
import { type Difference, differences } from "./differences.ts";
import { commonMarkExamples, type Example, gitHubExamples } from "./examples.ts";

/** What the parser makes of an example. */
export interface Result {
  readonly example: Example;
  readonly shown: string;
  readonly verdict: "same" | "different on purpose" | "wrong";
  readonly difference: Difference | undefined;
}

/** Compares the parser with each example, or with the difference that lists it. */
export const resultOf = (example: Example): Result => {
  const shown = normalHtml(htmlOf(example.text));
  const difference = differences.find(({ examples }) => examples.includes(example.id));
  const isSame = shown === normalHtml(example.html);
  // A list that names an example without a difference is wrong, too.
  const isListed = difference && !isSame && shown === normalHtml(difference.expected(example.text));
  const verdict = isListed ? "different on purpose" : isSame && !difference ? "same" : "wrong";
  return { example, shown, verdict, difference };
};

export const results = (): readonly Result[] => [...commonMarkExamples, ...gitHubExamples].map(resultOf);
