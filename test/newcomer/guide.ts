import { readFileSync } from "node:fs";
import path from "node:path";

const GUIDE = readFileSync(path.join(import.meta.dirname, "../../docs/agents.md"), "utf8");

/** One numbered step: what the reader sets, writes, saves and runs. */
export interface Step {
  readonly text: string;
  readonly variables: readonly string[];
  readonly files: readonly { readonly name: string; readonly content: string }[];
  readonly isConfiguration: boolean;
  readonly commands: readonly string[];
}

/** The path of a newcomer in one section of docs/agents.md. */
export interface GuidePath {
  readonly configuration: string;
  readonly steps: readonly Step[];
  /** The numbers that the guide states. */
  readonly stated: { readonly toPage: number; readonly toOpenWebUi: number };
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

const sectionOf = (heading: string): string => {
  const [, section] = GUIDE.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`there is no section ${heading}`);
  return section.split(/\n## /)[0]!;
};

/** The numbered items, with the indented lines that belong to them. */
const itemsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^\d+\. (.*(?:\n(?: {3}.*)?$)*)/gm)].map(([, item = ""]) => item.replaceAll(/^ {3}/gm, "").trim());

const allOf = (text: string, pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([, one]) => one!);

const stepOf = (text: string): Step => ({
  text,
  variables: allOf(text, /\bset `([A-Z_]+)`/g),
  files: [...text.matchAll(/^Write `(\S+)`:\s+```\w+\n([^]*?)```/gm)].map(([, name, content]) => ({
    name: name!,
    content: content!,
  })),
  isConfiguration: /\bsave the (first )?configuration above as\s+`runcast\.config\.ts`/i.test(text),
  commands: allOf(text, /\bRun `([^`]+)`/g),
});

export const guidePath = (heading: string): GuidePath => {
  const section = sectionOf(heading);
  const [, configuration] = /```ts\n(\/\/ runcast\.config\.ts\n[^]*?)```/.exec(section) ?? [];
  const [, toPage = "", toOpenWebUi = ""] =
    /^(\w+) steps to see the agent on the page, (\w+) more to use it in Open WebUI/m.exec(section) ?? [];
  if (configuration === undefined) throw new Error(`${heading} has no configuration`);
  const number = (word: string): number => NUMBERS.indexOf(word.toLowerCase());
  return {
    configuration,
    steps: itemsOf(section).map(stepOf),
    stated: { toPage: number(toPage), toOpenWebUi: number(toOpenWebUi) },
  };
};

/** The rows of the table of coding agents: the package to install, and the command that it provides. */
export const agentRows = (): readonly { readonly package: string; readonly command: string }[] =>
  [...GUIDE.matchAll(/^\| [^|]+ \| `([^`|]+)` \| `([^`|]+)` \| [^|]+ \|$/gm)]
    .map(([, name, command]) => ({ package: name!, command: command! }))
    .filter(({ command }) => guidePath("Coding agents").configuration.includes(`"${command.split(" ")[0]}"`));

/** The configuration with only one of its agents. */
export const onlyAgent = (configuration: string, agent: string): string => {
  const lines = configuration.split("\n").filter((line) => (/^ {4}(\w+): \w+\(/.exec(line)?.[1] ?? agent) === agent);
  if (!lines.some((line) => line.startsWith(`    ${agent}: `))) throw new Error(`there is no agent ${agent}`);
  return lines.join("\n");
};
