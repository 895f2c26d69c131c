import type { Line } from "./judge.ts";

/** A table for people: a title for each row of figures, then a line for each variant. */
export const table = (lines: readonly Line[]): string => {
  const text: string[] = [];
  let title = "";
  for (const line of lines) {
    if (line.title !== title) text.push("", (title = line.title));
    text.push(
      [
        `  ${line.variant.padEnd(18)}`,
        (line.value === undefined ? "-" : figure(line.value)).padStart(10),
        line.unit.padEnd(11),
        (line.ratio === undefined ? "" : `${line.ratio.toFixed(2)} x`).padStart(9),
        (line.ratio === undefined ? "" : (line.against ?? "")).padEnd(16),
        (line.target ?? "").padEnd(38),
        line.error ? `error: ${line.error.slice(0, 100)}` : (line.verdict ?? ""),
      ]
        .join(" ")
        .trimEnd(),
    );
  }
  return text.join("\n").trim();
};

const figure = (value: number): string => {
  if (Math.abs(value) >= 10_000) return `${Math.round(value / 1000)}k`;
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
};
