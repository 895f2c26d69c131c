import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import path from "node:path";
import { trials } from "../../src/torture.ts";
import { evidenceFile, evidenceOf, lastAnswer } from "./evidence.ts";
import { lossesOf } from "./losses.ts";
import { isOurs, type Measured, type System } from "./measured.ts";
import { notMeasured } from "./not-measured.ts";
import { strengths } from "./strengths.ts";

const docs = path.join(import.meta.dirname, "../../docs");
const evidence = path.join(docs, "comparison");

/** Writes docs/comparison.md, and beside it what each system answered where the verdict is no. */
export const writeComparison = (folder: string): void => {
  const all = readdirSync(folder).flatMap(
    (file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as Measured[],
  );
  const systems = all.filter((one): one is System => one.results !== undefined).toSorted(oursFirst);
  rmSync(evidence, { recursive: true, force: true });
  mkdirSync(evidence, { recursive: true });
  for (const system of systems) {
    const text = evidenceOf(system);
    if (text !== undefined) writeFileSync(path.join(evidence, evidenceFile(system)), text);
  }
  const absent = [...all.flatMap(({ absent: why }) => (why === undefined ? [] : [why])), ...notMeasured];
  writeFileSync(path.join(docs, "comparison.md"), documentOf(systems, absent));
};

const oursFirst = (one: System, other: System): number =>
  Number(isOurs(other)) - Number(isOurs(one)) || one.name.localeCompare(other.name);

const documentOf = (systems: readonly System[], absent: readonly string[]): string => {
  const days = [...new Set(systems.map(({ measured }) => measured))].toSorted();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const isShort = systems.some((system) => system.isShort);
  const losses = lossesOf(systems);
  return `# Runcast and other systems

What happens to an agent's work when a connection breaks, a page reloads, or the server dies? This page answers it for
Runcast and for what people use instead. \`npm run compare\` writes it: it starts each system on one machine, runs every
trial of [\`runcast torture\`](torture.md) against it, and kills it where a trial says so. All systems get the same
scripted model and the same tools. Each is set up as its own documentation says; the servers and clients are in
\`bench/peers/torture/\`, one file for each system, and nothing else is involved.

Measured ${days.join(", ")} on ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${gigabytes} GB, Node.js ${process.versions.node}.${isShort ? " Short form: smaller trials." : ""}

## Verdicts

| trial | ${systems.map(({ name }) => name).join(" | ")} |
|---|${systems.map(() => "---").join("|")}|
${trials.map(({ name }) => `| \`${name}\` | ${systems.map((system) => cell(system, name)).join(" | ")} |`).join("\n")}
| yes / no / n/a | ${systems.map(sums).join(" | ")} |

What a "yes" means:

${trials.map(({ name, shows }) => `- \`${name}\`: ${sentence(shows)}`).join("\n")}

"n/a" means that the trial does not apply. In \`many-tokens\`, the figures are bytes on the wire and microseconds for each
token. Two figures that differ by less than a fifth are alike: the machine is shared with the model and the tools.

## Why not

Behind each "no" are the last requests and what the system answered. The linked file has these answers as they came, and
what the server printed. A system can be right to say no: some leave these things to the app.

${systems
  .map((system) => reasons(system))
  .filter((text) => text !== "")
  .join("\n\n")}

## What the others do better

${strengths.map((text) => `- ${text}`).join("\n")}

## Where Runcast loses here

${losses.length > 0 ? losses.map((text) => `- ${text}`).join("\n") : "In these trials, nowhere."}

## Versions

${systems.map(({ name, versions }) => `- ${name}: ${versions}`).join("\n")}

## Not measured

${absent.map((text) => `- ${text}`).join("\n")}

## Repeat it

\`npm run compare\` runs everything, in about half an hour. \`npm run compare -- agno langgraph\` runs these two again and
keeps the other results of the same machine. It installs what it can automatically; the Python systems
need \`npm run agents\` first. The same seed makes the same cuts: \`--seed 7\` is the default. If a system is set up wrong
here, please open an issue: its file in \`bench/peers/torture/\` is the place to fix it.
`;
};

const cell = ({ results }: System, trial: string): string => {
  const found = results.find((result) => result.trial === trial);
  if (!found) return "";
  const { bytesPerToken, microsecondsPerToken } = found.numbers ?? {};
  if (found.verdict === "no") return "**no**";
  return bytesPerToken === undefined ? found.verdict : `${bytesPerToken} B, ${microsecondsPerToken} µs`;
};

const sums = ({ results }: System): string =>
  (["yes", "no", "n/a"] as const).map((verdict) => results.filter((one) => one.verdict === verdict).length).join(" / ");

const reasons = (system: System): string => {
  const lines = system.results
    .filter(({ verdict }) => verdict !== "yes")
    .map((result) => {
      const answer = result.verdict === "no" ? lastAnswer(result) : "";
      return `- \`${result.trial}\`: ${result.verdict}. ${sentence(plain(result.because))}${answer === "" ? "" : ` Last answer: ${plain(answer)}.`}`;
    });
  if (lines.length === 0) return "";
  const hasEvidence = system.results.some(({ verdict }) => verdict === "no");
  const link = hasEvidence ? ` ([answers](comparison/${evidenceFile(system)}))` : "";
  return `**${system.name}**${link}\n\n${lines.join("\n")}`;
};

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

/** What a server says must not become markup. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[<>|`[\]*_]/g, "\\$&")
    .slice(0, 300);
