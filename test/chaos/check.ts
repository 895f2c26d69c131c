import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../src/events.ts";
import { createState, fold, snapshot } from "../../src/state.ts";
import { verify } from "../../src/verify.ts";
import { REPEATABLE } from "./agent.ts";
import { type Acknowledged, type Cancel, isAnswered, type Seen } from "./users.ts";
import type { TallyEntry } from "./tally.ts";

/** The violations of a run. Empty if every promise was kept. */
export const problemsOf = (
  run: string,
  entries: readonly Entry[],
  tally: readonly TallyEntry[],
  seen: readonly Seen[],
  acknowledged: readonly Acknowledged[],
  cancels: readonly Cancel[] = [],
): string[] =>
  [
    ...grammar(entries, cancels),
    ...calls(entries, tally),
    ...seen.flatMap((each) => difference(each, entries)),
    ...acknowledged
      .filter((answer) => !isAnswered(entries, answer))
      .map(({ ask }) => `the answer to ${ask} was acknowledged and is lost`),
  ].map((problem) => `${run}: ${problem}`);

const grammar = (entries: readonly Entry[], cancels: readonly Cancel[]): string[] => {
  const wrong = verify(entries);
  const ends = entries.filter(({ event }) => event.type === "run-end").length;
  const end = entries.at(-1)?.event;
  const isFine =
    end?.type === "run-end" &&
    (end.outcome === "done" ||
      (end.outcome === "cancelled" && cancels.length > 0) ||
      (end.outcome === "error" && end.error?.code === "log-failed"));
  const isLost =
    cancels.some(({ isAcknowledged }) => isAcknowledged) && end?.type === "run-end" && end.outcome !== "cancelled";
  return [
    ...(wrong ? [`breaks the grammar: ${JSON.stringify(wrong)}`] : []),
    ...(ends === 1 ? [] : [`ends ${ends} times`]),
    ...(isFine ? [] : [`ends with ${JSON.stringify(end)}`]),
    ...(isLost ? [`a cancel was acknowledged and is lost`] : []),
  ];
};

/** Tools count their own executions outside of any process. The log must agree with these counts. */
const calls = (entries: readonly Entry[], tally: readonly TallyEntry[]): string[] => {
  const problems: string[] = [];
  const executed = new Map<string, number>();
  const repeats = new Map<string, string>();
  const ended = new Map<string, string>();
  for (const { seq, event } of entries) {
    if (event.type === "tool-execute") executed.set(event.call, seq);
    else if (event.type === "tool-start" && event.repeats !== undefined) repeats.set(event.call, event.repeats);
    else if (event.type === "tool-end") ended.set(event.call, event.outcome);
  }
  const begun = new Map<string, string[]>();
  // In the order of the log: a process that is paused after its last check of the lease begins a call late, after its repeat.
  const begins = tally
    .flatMap((each) => (each.do === "begin" ? [each] : []))
    .toSorted((one, other) => (executed.get(one.call) ?? 0) - (executed.get(other.call) ?? 0));
  for (const { key, tool, call } of begins) {
    if (!executed.has(call)) problems.push(`${tool} ${call} ran before its tool-execute was stored`);
    const earlier = begun.get(key) ?? [];
    begun.set(key, [...earlier, call]);
    if (earlier.length === 0) continue;
    if (earlier.includes(call)) problems.push(`${tool} ${call} ran twice`);
    if (!REPEATABLE.has(tool))
      problems.push(`${tool} ${key} must not be repeated, and ran as ${[...earlier, call].join(", ")}`);
    if (repeats.get(call) === undefined) problems.push(`${tool} ${call} ran again and does not say so`);
    for (const before of earlier)
      if (ended.get(before) !== "interrupted") problems.push(`${tool} ${before} had ended and ran again as ${call}`);
  }
  return problems;
};

const difference = ({ entries, state }: Seen, stored: readonly Entry[]): string[] => {
  if (!isDeepStrictEqual(entries, stored)) {
    const at = entries.findIndex((entry, index) => !isDeepStrictEqual(entry, stored[index]));
    return [`a viewer saw ${entries.length} entries of ${stored.length}, and differs at ${at}`];
  }
  const folded = createState();
  for (const entry of stored) fold(folded, entry);
  const isSame = isDeepStrictEqual(snapshot(folded), snapshot(state));
  return isSame ? [] : ["a viewer's state differs from the log's"];
};
