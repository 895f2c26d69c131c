import { compatibility, type Reach } from "../../src/dialects/open-webui/compatibility.ts";
import { generations } from "../../test/open-webui/generations.ts";
import { reach, type Reached } from "../../test/open-webui/reach.ts";

const START = "<!-- compatibility: written by `npm run docs` -->";
const END = "<!-- /compatibility -->";

/** docs/open-webui.md with the current table between its markers. */
export const withCompatibilityTable = (document: string): string => {
  const [start, end] = [document.indexOf(START), document.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`docs/open-webui.md has no ${START} … ${END}`);
  return `${document.slice(0, start + START.length)}\n\n${compatibilityTable()}\n\n${document.slice(end)}`;
};

/** How Open WebUI handles each event type. Each version's cell is what its reducer shows, live and after a reload. */
const compatibilityTable = (): string => {
  const versions = generations.map(({ versions }) => versions);
  const rows = compatibility.map(({ type, meaning, reach: ways }) =>
    [
      `\`${type}\``,
      meaning,
      ...[ways.connection, ways.native, ways.legacy].map((way) => WAYS[way]),
      ...generations.map((generation) => SEEN[reach(type, generation)]),
    ].join(" | "),
  );
  return [
    `| line or event | what it is | connection | pipe, native | pipe, legacy | ${versions.join(" | ")} |`,
    `|---|---|---|---|---|${"---|".repeat(versions.length)}`,
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
};

const WAYS: Readonly<Record<Reach, string>> = { works: "yes", "needs pipe": "needs the pipe", ignored: "no" };
const SEEN: Readonly<Record<Reached, string>> = { kept: "kept", "until reload": "until reload", nothing: "–" };
