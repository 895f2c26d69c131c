import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import path from "node:path";
import { trials } from "../../src/torture.ts";
import { strengths } from "./strengths.ts";
import type { Measured } from "./measured.ts";

const docs = path.join(import.meta.dirname, "../../docs");
const evidence = path.join(docs, "comparison");
const EXCHANGES = 2;
const CHARACTERS = 600;

type System = Required<Omit<Measured, "absent">>;

/** Writes docs/comparison.md, and beside it what each system answered where the verdict is no. */
export const writeComparison = (folder: string): void => {
  const all = readdirSync(folder).flatMap(
    (file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as Measured[],
  );
  const systems = all.filter((one): one is System => one.results !== undefined).toSorted(oursFirst);
  rmSync(evidence, { recursive: true, force: true });
  mkdirSync(evidence, { recursive: true });
  for (const system of systems) writeEvidence(system);
  const absent = all.flatMap(({ absent: why }) => (why === undefined ? [] : [why]));
  writeFileSync(path.join(docs, "comparison.md"), documentOf(systems, absent));
};

const oursFirst = (one: System, other: System): number =>
  Number(other.name.startsWith("Runcast")) - Number(one.name.startsWith("Runcast")) ||
  one.name.localeCompare(other.name);

const fileOf = ({ name }: System): string =>
  `${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "")}.json`;

const writeEvidence = (system: System): void => {
  const nos = system.results
    .filter(({ verdict }) => verdict === "no")
    .map(({ trial, because, seed, evidence: seen = [] }) => ({
      trial,
      because,
      seed,
      answers: seen.slice(-EXCHANGES).map(({ request, status, head, tail, bytes, ended }) => ({
        request: request.slice(0, CHARACTERS),
        status,
        begins: head.slice(0, CHARACTERS),
        ends: tail.slice(-CHARACTERS),
        bytes,
        ended,
      })),
    }));
  if (nos.length > 0) writeFileSync(path.join(evidence, fileOf(system)), `${JSON.stringify(nos, null, 2)}\n`);
};

const documentOf = (systems: readonly System[], absent: readonly string[]): string => {
  const days = [...new Set(systems.map(({ measured }) => measured))].toSorted();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const isShort = systems.some((system) => system.isShort);
  return `# Runcast and other systems

\`npm run compare\` writes this document. It starts each system on this machine, runs every trial of
[\`runcast torture\`](torture.md) against it, and kills it where a trial says so. All systems get the same scripted model
and the same tools. The servers and clients used here are in \`bench/peers/torture/\`; nothing else is involved.

Measured ${days.join(", ")} on ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${gigabytes} GB, Node.js ${process.versions.node}.${isShort ? " Short form: smaller trials." : ""}
Run it again with \`npm run compare\`, or \`npm run compare -- agno\` for one system. Python peers need \`npm run agents\` first.

## Verdicts

| trial | ${systems.map(({ name }) => name).join(" | ")} |
|---|${systems.map(() => "---").join("|")}|
${trials.map(({ name }) => `| \`${name}\` | ${systems.map((system) => cell(system, name)).join(" | ")} |`).join("\n")}
| **yes / no / n/a** | ${systems.map(({ results }) => (["yes", "no", "n/a"] as const).map((verdict) => results.filter((one) => one.verdict === verdict).length).join(" / ")).join(" | ")} |

"n/a" means that the trial does not apply; the lists below say why. In \`many-tokens\`, the numbers are bytes and
microseconds per token.

## Versions

${systems.map(({ name, versions }) => `- ${name}: ${versions}`).join("\n")}

## Why not

For each "no", the linked file has the last requests and what the system answered.

${systems
  .map((system) => reasons(system))
  .filter((text) => text !== "")
  .join("\n\n")}

## What they do better

${strengths.map((text) => `- ${text}`).join("\n")}
${absent.length > 0 ? `\n## Not measured\n\n${absent.map((text) => `- ${text}`).join("\n")}\n` : ""}`;
};

const cell = ({ results }: System, trial: string): string => {
  const found = results.find((result) => result.trial === trial);
  if (!found) return "";
  const { bytesPerToken, microsecondsPerToken } = found.numbers ?? {};
  return bytesPerToken === undefined ? found.verdict : `${bytesPerToken} B, ${microsecondsPerToken} µs`;
};

const reasons = (system: System): string => {
  const lines = system.results
    .filter(({ verdict }) => verdict !== "yes")
    .map(({ trial, verdict, because }) => `- \`${trial}\`: ${verdict}. ${plain(because)}`);
  if (lines.length === 0) return "";
  const hasEvidence = system.results.some(({ verdict }) => verdict === "no");
  const link = hasEvidence ? ` ([answers](comparison/${fileOf(system)}))` : "";
  return `**${system.name}**${link}\n\n${lines.join("\n")}`;
};

/** What a server says must not become markup. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[<>|`[\]*_]/g, "\\$&")
    .slice(0, 300);
