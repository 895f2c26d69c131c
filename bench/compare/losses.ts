import { isOurs, type System } from "./measured.ts";

const FIGURES = [
  ["bytesPerToken", "bytes per token"],
  ["microsecondsPerToken", "microseconds per token"],
] as const;

/** Where Runcast is worse than another system, by the figures of the same run: what it cannot do, and what costs more. */
export const lossesOf = (systems: readonly System[]): readonly string[] => {
  const ours = systems.filter(isOurs);
  const others = systems.filter((system) => !isOurs(system));
  const refused = ours.flatMap(({ name, results }) => {
    const trials = results.filter(({ verdict }) => verdict === "no").map(({ trial }) => `\`${trial}\``);
    return trials.length > 0 ? [`${name} fails ${trials.join(", ")}; the reasons are above.`] : [];
  });
  const slower = FIGURES.flatMap(([key, unit]) => {
    const best = Math.min(...ours.map((system) => figureOf(system, key)));
    const better = others
      .map((system) => ({ name: system.name, figure: figureOf(system, key) }))
      .filter(({ figure }) => figure < best);
    if (better.length === 0 || best === Infinity) return [];
    return [
      `\`many-tokens\`: ${better.map(({ name, figure }) => `${name} needs ${figure}`).join(", ")} ${unit}; Runcast needs at least ${best}.`,
    ];
  });
  return [...refused, ...slower];
};

const figureOf = ({ results }: System, key: string): number =>
  results.find(({ trial, verdict }) => trial === "many-tokens" && verdict === "yes")?.numbers?.[key] ?? Infinity;
