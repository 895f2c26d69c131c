import { footLines } from "../../../src/cli/render.ts";
import { createTranscript } from "../../../src/cli/transcript.ts";
import type { Entry } from "../../../src/events.ts";
import { createState, fold } from "../../../src/state.ts";
import { type Drawn, type DrawnView, fact, sorted } from "./drawn.ts";

type Segment = readonly [style: string, text: string];

const STYLES: Readonly<Record<string, string>> = {
  "1": "bold",
  "2": "dim",
  "31": "red",
  "32": "green",
  "33": "yellow",
  "36": "cyan",
};
const SPINNER = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]$/;
const NOTES = /(?: (\(arguments edited\)))?(?: (\(repeats an interrupted call\)))?$/;
const SIGN = /^[○✓✗⊘→!?⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]$/;

const segmentsOf = (line: string): Segment[] =>
  // eslint-disable-next-line no-control-regex
  [...line.matchAll(/\x1b\[(\d+)m([^\x1b]*)\x1b\[0m|([^\x1b]+)/g)].map(([, code, styled, plain]) =>
    code === undefined ? ["plain", plain!] : [STYLES[code]!, styled!],
  );

/** The lines of a live terminal: permanent ones, followed by those that are redrawn. */
export const openTerminal = (entries: readonly Entry[]): DrawnView => {
  const state = createState();
  const transcript = createTranscript(state);
  const standing: string[] = [];
  const options = { width: 100_000, color: true };
  return {
    at: async (seq) => {
      while (state.seq < seq) {
        const entry = entries[state.seq]!;
        fold(state, entry);
        standing.push(...transcript.settled({ ...options, now: entry.at }));
      }
      const now = entries[seq - 1]!.at;
      const live = transcript.live({ ...options, now, height: 100_000 });
      const foot = footLines(state, { ...options, now });
      return { facts: read([...standing, ...live], foot), text: plain([...standing, ...live, ...foot]) };
    },
    close: () => {},
  };
};

// eslint-disable-next-line no-control-regex
const plain = (lines: readonly string[]): string => lines.join("\n").replaceAll(/\x1b\[\d+m/g, "");

const read = (lines: readonly string[], foot: readonly string[]): Drawn => {
  const drawn = { calls: [] as string[], agents: [] as string[], asks: [] as string[] };
  const retries: string[] = [];
  const thoughts: string[] = [];
  /** Items opened above and not yet closed, innermost last. */
  const open: { readonly depth: number; readonly kind: string; readonly name: string; readonly summary: string }[] = [];
  for (const line of lines) {
    const segments = segmentsOf(line);
    let depth = 0;
    if (/^(?:│ )+$/.test(segments[0]?.[1] ?? "") && segments[0]![0] === "dim") depth = segments.shift()![1].length / 2;
    if (segments[0]?.[0] === "plain" && segments[0][1].trim() === "") segments.shift();
    const [[color, sign] = ["", ""], [, second] = ["", ""], ...rest] = segments;
    if (sign.startsWith("✻ ")) thoughts.push(fact({ title: sign.slice(2).split("  ")[0]! }));
    else if (sign.startsWith("↻ ")) retries.push(sign.slice(2));
    else if (sign === "◆ ") open.push({ depth, kind: "agent", name: second, summary: "" });
    else if (sign === "▾ ") open.push({ depth, kind: "call", name: second, summary: rest[0]?.[1].slice(2) ?? "" });
    else if (SIGN.test(sign) && segments.length > 1) {
      const spins = SPINNER.test(sign);
      const inner = open.at(-1);
      const [word = "", time = ""] = (rest.at(-1) ?? segments.at(-1)!)[1].trimStart().split("  ");
      if (spins && second.startsWith(" Thinking "))
        thoughts.push(fact({ title: "Thinking", time: second.slice(10).split("  ")[0]! }));
      else if (inner?.kind === "agent" && inner.depth === depth) {
        open.pop();
        drawn.agents.push(fact({ color, spins, name: second.trim(), word, time }));
      } else if (second === " " && sign === "?")
        drawn.asks.push(fact({ title: rest[0]![1], outcome: "Waiting for an answer" }));
      else if (second === " ") {
        const name = rest[0]![1];
        const isOpened = inner?.kind === "call" && inner.depth === depth && inner.name === name;
        if (isOpened) open.pop();
        const between = rest.slice(1, -1);
        const exit = between.find(([style]) => style === "red")?.[1].trim();
        const note = between.find(([style]) => style === "dim")?.[1] ?? "";
        const [notes, edits, repeat] = NOTES.exec(note)!;
        const own = note.slice(0, note.length - notes.length).trim();
        const summary = own || (isOpened ? inner.summary : "");
        drawn.calls.push(fact({ color, spins, name, summary, edits, repeat, exit, word, time }));
      } else drawn.asks.push(fact({ title: rest[0]![1].slice(2), outcome: second.slice(1) }));
    }
  }
  const [[color, sign] = ["", ""], , [, title] = ["", ""], [, more] = ["", ""]] = segmentsOf(foot[0] ?? "");
  const time = /^ {2}(\d[^ ]* (?:ms|s|min|h)(?: \d+ (?:s|min))?)(?: {2}|$)/.exec(more)?.[1] ?? "";
  const advice = foot
    .slice(1)
    .map((row) => segmentsOf(row)[0]?.[1] ?? "")
    .find((words) => words.startsWith("→ ") && !words.startsWith("→ Waiting for the client"));
  return {
    calls: sorted(drawn.calls),
    agents: sorted(drawn.agents),
    asks: sorted(drawn.asks),
    retries: sorted(retries),
    thoughts: sorted(thoughts),
    run: fact({
      color,
      spins: SPINNER.test(sign),
      title,
      time,
      advice: advice?.slice(2),
    }),
  };
};
