import { mkdirSync, rmSync, writeFileSync } from "node:fs";
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

/** Writes docs/comparison.md, and next to it each system's responses where the verdict is no. */
export const writeComparison = (all: readonly Measured[]): void => {
  const systems = systemsOf(all);
  rmSync(evidence, { recursive: true, force: true });
  mkdirSync(evidence, { recursive: true });
  for (const system of systems) {
    const text = evidenceOf(system);
    if (text !== undefined) writeFileSync(path.join(evidence, evidenceFile(system)), text);
  }
  const absent = [...all.flatMap(({ absent: why }) => (why === undefined ? [] : [why])), ...notMeasured];
  writeFileSync(path.join(docs, "comparison.md"), documentOf(systems, absent));
};

/** The systems that were measured, ours first. */
export const systemsOf = (all: readonly Measured[]): readonly System[] =>
  all.filter((one): one is System => one.results !== undefined).toSorted(oursFirst);

/** Trial × system, as Markdown. */
export const verdictTable = (systems: readonly System[]): string => `\
| trial | ${systems.map(({ name }) => name).join(" | ")} |
|---|${systems.map(() => "---").join("|")}|
${trials.map(({ name }) => `| \`${name}\` | ${systems.map((system) => cell(system, name)).join(" | ")} |`).join("\n")}
| yes / no / n/a | ${systems.map(sums).join(" | ")} |`;

const oursFirst = (one: System, other: System): number =>
  Number(isOurs(other)) - Number(isOurs(one)) || one.name.localeCompare(other.name);

const documentOf = (systems: readonly System[], absent: readonly string[]): string => {
  const days = [...new Set(systems.map(({ measured }) => measured))].toSorted();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const isShort = systems.some((system) => system.isShort);
  const losses = lossesOf(systems);
  return `# Runcast and other systems

What happens to an agent's work when a connection breaks, a page reloads, or the server dies? This page answers that
question for Runcast and for what people use instead. \`npm run compare\` writes it: the command starts each system on one
machine, runs every trial of [\`runcast torture\`](torture.md) against it, and kills it if the trial requires that. All
systems get the same scripted model and the same tools. Each is set up as its own documentation says; [Setup](#setup)
names what differs from the defaults. The servers are in \`bench/peers/torture/\`. The clients, there and in
\`src/torture/drivers/\`, were written for the trials and send what each system's own client sends.

Measured ${days.join(", ")} on ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${gigabytes} GB, Node.js ${process.versions.node}.${isShort ? " Short form: smaller trials." : ""}

## Verdicts

${verdictTable(systems)}

What a "yes" means:

${trials.map(({ name, shows }) => `- \`${name}\`: ${sentence(shows)}`).join("\n")}

"n/a" means that the trial does not apply. In most trials, the model writes a piece of text every 10 ms, as fast models
do. In \`cut-anywhere\` and \`many-tokens\`, it writes much faster, so a server that loses or reorders text under load
fails there. In \`many-tokens\`, the figures are bytes on the wire and microseconds for each token. Ignore differences of
less than a fifth: the model and the tools run on the same machine.

## Why not

Each "no" has a reason and the last response. The linked file has the last requests, the beginning and end of each
response, and what the server printed. If the reason is that a client "cannot" do something, its protocol has no request
for it, and the responses show only what came before. A "no" is not always a defect: some systems leave these things to
the app.

${systems
  .map((system) => reasons(system))
  .filter((text) => text !== "")
  .join("\n\n")}

## What the others do better

${strengths.map((text) => `- ${text}`).join("\n")}

## Where Runcast loses here

${losses.length > 0 ? losses.map((text) => `- ${text}`).join("\n") : "In these trials, nowhere."}

## Setup

${systems.map(({ name, versions, setUp }) => `- ${name} (${versions}). ${setUp}`).join("\n")}

## Not measured

${absent.map((text) => `- ${text}`).join("\n")}

## Repeat it

\`npm run compare\` runs everything, in less than half an hour, and prints which verdicts differ from the last run on the
same machine. \`npm run compare -- agno langgraph\` runs only these two again, and keeps the other results from the same
machine. The command installs what it can automatically. Agno, LangGraph and PydanticAI need
\`npm run agents -- agno langgraph pydantic-ai\` first, and Open WebUI needs
\`npm run test:open-webui -- --install --version newest\`. Redis and Postgres must be installed. What is missing gets one
line under "Not measured". The same seed makes the same cuts: \`--seed 7\` is the default. If a system is set up wrong
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
      return `- \`${result.trial}\`: ${result.verdict}. ${sentence(plain(result.because))}${answer === "" ? "" : ` Last response: ${plain(answer)}.`}`;
    });
  if (lines.length === 0) return "";
  const hasEvidence = system.results.some(({ verdict }) => verdict === "no");
  const link = hasEvidence ? ` ([responses](comparison/${evidenceFile(system)}))` : "";
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
