import { LEASE_MS, type Report } from "./round.ts";
import { quantile } from "./takeovers.ts";

/** The report of a round as text. */
export const reportText = (title: string, report: Report): string => {
  const { runs, kills, executing, mostExecuting, entries, viewers, executions, acknowledged, cancelled } = report;
  const { outcomes, faults, fenced } = report;
  const { clean, troubled } = report.takeovers;
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ");
  const times = (all: readonly number[]) =>
    all.length === 0 ? "none" : `${all.length}, p50 ${quantile(all, 0.5)} ms, p99 ${quantile(all, 0.99)} ms`;
  return [
    title,
    `  ${runs} runs (${listed(outcomes)}), ${kills} kills, ${executing} calls executing at a kill, ${mostExecuting} at most`,
    `  happened: ${listed(faults)}`,
    `  compared: ${entries} entries of ${viewers} viewers, ${executions} executions, ${acknowledged} acknowledged answers and ${cancelled} cancels`,
    `  fenced writes: ${fenced}`,
    `  from kill to the next entry: ${times(clean)} (lease ${LEASE_MS} ms); with the engine in trouble: ${times(troubled)}`,
    ...report.problems.slice(0, 20).map((problem) => `  WRONG  ${problem}`),
    `  ${report.problems.length} wrong${report.problems.length > 0 ? `; see ${report.directory}` : ""}`,
  ].join("\n");
};
