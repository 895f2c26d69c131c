import specification from "commonmark-spec";
import about from "commonmark-spec/package.json" with { type: "json" };
import { gitHubCases } from "./github-cases.ts";
import { gitHub } from "./reference.ts";

/** A text and the HTML that a specification expects of it. */
export interface Example {
  /** The number in the specification, or the text of a case of our own. */
  readonly id: number | string;
  readonly section: string;
  readonly text: string;
  readonly html: string;
}

const tabs = (text: string): string => text.replaceAll("→", "\t");

export const commonMarkVersion: string = about.version;

/** Every example of the CommonMark specification. */
export const commonMarkExamples: readonly Example[] = specification.tests.map(
  ({ number, section, markdown, html }) => ({
    id: number,
    section,
    text: tabs(markdown),
    html: tabs(html),
  }),
);

/** Cases of our own for GitHub's extensions, with what micromark makes of them. */
export const gitHubExamples: readonly Example[] = Object.entries(gitHubCases).flatMap(([section, texts]) =>
  texts.map((text) => ({ id: text, section, text, html: gitHub(text, "raw") })),
);
