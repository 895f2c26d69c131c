import type { Example } from "./examples.ts";
import { commonMark, gitHub } from "./reference.ts";

/** A deliberate difference from a specification, and what is shown instead. */
export interface Difference {
  readonly what: string;
  readonly why: string;
  readonly examples: readonly Example["id"][];
  /** A short example for `docs/markdown.md`, and the specification that it differs from. */
  readonly sample: readonly ["CommonMark" | "GitHub", string];
  /** The expected HTML, by a reference with the same rule or recorded. */
  readonly expected: (text: string) => string;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** The ones that occur in the examples. `docs/markdown.md` also lists limits, which no example reaches. */
export const differences: readonly Difference[] = [
  {
    what: "Raw HTML is text",
    why: "A model's text must not be able to add elements to the page. `<br>` still breaks a line, and Markdown inside HTML is parsed",
    examples: [
      ...[21, 31, ...range(148, 191), 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536],
      ...[...range(613, 617), 623, ...range(625, 631), 642, 643],
    ],
    sample: ["CommonMark", "<b>*x*</b>"],
    expected: commonMark,
  },
  {
    what: "Bare addresses are links",
    why: "CommonMark has no autolinks without angle brackets. GitHub's rules apply",
    examples: [602, 608, 611, 612],
    sample: ["CommonMark", "https://a.example"],
    expected: gitHub,
  },
  {
    what: "An email address may contain an escaped character",
    why: "Email addresses are found after escapes are resolved",
    examples: [606],
    sample: ["CommonMark", "<a\\+b@c.example>"],
    expected: () => '<p>&lt;<a href="mailto:foo+@bar.example.com">foo+@bar.example.com</a>&gt;</p>',
  },
  {
    what: "`$…$`, `\\(…\\)` and `\\[…\\]` are formulas",
    why: "Models write formulas this way",
    examples: [12],
    sample: ["CommonMark", "\\(x\\)"],
    expected: (text) => commonMark(text.replace("\\[\\\\\\]", "F")).replace("F", '<math display="true">\\\\</math>'),
  },
  {
    what: "About 210 of the 2,125 named entities are known",
    why: "A table of all of them would be about as large as the parser",
    examples: [25],
    sample: ["CommonMark", "&ngE;"],
    expected: (text) => commonMark(text.replaceAll(/&(?=Dca|Hil|Diff|Clo|ngE)/g, "&amp;")),
  },
  {
    what: "A table's delimiter row may start like a list item",
    why: "Models write such tables and never mean a list",
    examples: ["a | b\n- | -\nc | d\n\nafter"],
    sample: ["GitHub", "a | b\n- | -"],
    expected: (text) => gitHub(text.replace("- | -", "-|-")),
  },
  {
    what: "An address after an unclosed `[` is a link",
    why: "While a text arrives, every `[` is unclosed at first",
    examples: ["[see https://example.com", "![see www.example.com", "[see a@b.example"],
    sample: ["GitHub", "[see https://a.example"],
    expected: (text) => gitHub(text.replace("[", "\\[")),
  },
  {
    what: "Footnotes are text",
    why: "They are rare in answers. A note that is only an address becomes a link",
    examples: ["Text[^1]\n\n[^1]: A note"],
    sample: ["GitHub", "Text[^1]\n\n[^1]: A note"],
    expected: commonMark,
  },
];
