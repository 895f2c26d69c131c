import type { Metrics } from "../measure.ts";
import type { guard as guardOf, Row, Target } from "../targets.ts";
import { variants } from "../variants.ts";
import type { Variant } from "../variants.ts";

/** The metrics of one variant in one round, or its error. */
export interface Sample {
  readonly round: number;
  readonly scenario: string;
  readonly variant: string;
  /** How long the measurement took. */
  readonly ms: number;
  readonly metrics?: Metrics;
  readonly error?: string;
}

export interface Line {
  readonly title: string;
  readonly variant: string;
  readonly value?: number;
  readonly unit: string;
  /** The median of the ratios of all rounds. */
  readonly ratio?: number;
  readonly against?: string;
  readonly target?: string;
  readonly verdict?: "ok" | "MISS" | "not measured" | "error";
  readonly error?: string;
}

export interface Verdict {
  readonly lines: readonly Line[];
  readonly counts: { met: number; missed: number; unmeasured: number; errors: number };
  /** Why the whole run is invalid. */
  readonly void?: string;
}

export const judge = (samples: readonly Sample[], rows: readonly Row[], guard: typeof guardOf): Verdict => {
  const lines = rows.flatMap((row) => linesOf(row, samples));
  const count = (verdict: Line["verdict"]) => lines.filter((line) => line.verdict === verdict).length;
  const apart = guard.figures
    .map((figure) => {
      const [scenario, metric] = figure.split("/") as [string, string];
      return { figure, ratio: median(ratios(samples, metric, `${scenario}/raw-again`, `${scenario}/raw`)) };
    })
    .find(({ ratio }) => ratio !== undefined && (ratio < guard.least || ratio > guard.most));
  return {
    lines,
    counts: { met: count("ok"), missed: count("MISS"), unmeasured: count("not measured"), errors: count("error") },
    ...(apart && { void: `${apart.ratio!.toFixed(2)} in ${apart.figure}` }),
  };
};

const linesOf = (row: Row, samples: readonly Sample[]): Line[] => {
  const measured = [...new Set(samples.filter(({ scenario }) => scenario === row.scenario).map((s) => s.variant))];
  const targeted = Object.keys(row.targets ?? {}).filter((variant) => !measured.includes(variant));
  const isShown = (variant: string) => !row.variants || row.variants.some((one) => one === variant);
  return [...measured.toSorted(byOrder), ...targeted].filter(isShown).map((variant) => lineOf(row, variant, samples));
};

const lineOf = (row: Row, variant: string, samples: readonly Sample[]): Line => {
  const subject = `${row.scenario}/${variant}`;
  const ours = row.beats && row.beats.ours !== variant && isPeer(variant) ? row.beats.ours : undefined;
  const value = median(figures(samples, row.metric, subject).map(({ figure }) => figure));
  const against = row.against?.replace("*", variant);
  const ratio = against ? median(ratios(samples, row.metric, subject, against)) : undefined;
  const line = { title: row.title, variant, unit: row.unit, against, value, ratio };
  const error = samples.find((sample) => `${sample.scenario}/${sample.variant}` === subject && sample.error)?.error;
  if (error) return { ...line, error, verdict: isPeer(variant) ? undefined : "error" };
  if (ours) {
    const least = row.beats!.factors?.[variant as keyof typeof variants] ?? 1;
    const factor = median(ratios(samples, row.metric, subject, `${row.scenario}/${ours}`));
    const target = `${ours} ${least > 1 ? `${least} x ` : ""}less`;
    if (factor === undefined) return { ...line, target, verdict: "not measured" };
    return { ...line, target: `${target}: ${factor.toFixed(2)} x`, verdict: factor > least ? "ok" : "MISS" };
  }
  const target = row.targets?.[variant];
  if (!target) return line;
  const excess = against ? median(compared(samples, row.metric, subject, against, (a, b) => a - b)) : undefined;
  const judged = { ratio, value, excess }[target.of ?? "ratio"];
  if (judged === undefined) return { ...line, target: textOf(target), verdict: "not measured" };
  const fits = judged >= (target.atLeast ?? -Infinity) && judged <= (target.atMost ?? Infinity);
  return { ...line, target: textOf(target), verdict: fits ? "ok" : "MISS" };
};

const UNITS = { ratio: " x", value: "", excess: " more" };
const textOf = ({ atLeast, atMost, of }: Target) =>
  `${atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast}`}${UNITS[of ?? "ratio"]}`;

const order = Object.keys(variants);
const byOrder = (a: string, b: string) => (order.indexOf(a) + 1 || 99) - (order.indexOf(b) + 1 || 99);
const isPeer = (name: string) => {
  const variant: Variant | undefined = variants[name as keyof typeof variants];
  return variant !== undefined && !variant.ours && !variant.yardstick;
};

const figures = (samples: readonly Sample[], metric: string, subject: string) =>
  samples.flatMap(({ round, scenario, variant, metrics }) => {
    const figure = metrics?.[metric];
    return `${scenario}/${variant}` === subject && figure !== undefined ? [{ round, figure }] : [];
  });

const ratios = (samples: readonly Sample[], metric: string, subject: string, against: string): number[] =>
  compared(samples, metric, subject, against, (figure, other) => figure / other);

/** Compares round by round. */
const compared = (
  samples: readonly Sample[],
  metric: string,
  subject: string,
  against: string,
  compare: (figure: number, other: number) => number,
): number[] => {
  const yardstick = new Map(figures(samples, metric, against).map(({ round, figure }) => [round, figure]));
  return figures(samples, metric, subject).flatMap(({ round, figure }) => {
    const other = yardstick.get(round);
    return other ? [compare(figure, other)] : [];
  });
};

const median = (numbers: readonly number[]): number | undefined => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : sorted.length ? (sorted[middle - 1]! + sorted[middle]!) / 2 : undefined;
};
