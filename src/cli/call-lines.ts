import type { CallNode } from "../state.ts";
import {
  type CallFacts,
  counted,
  type Delegation,
  describeCall,
  describeFile,
  describeResult,
  type ResultPart,
  timeText,
} from "../view.ts";
import { badgePiece } from "./badge-piece.ts";
import { line } from "./line.ts";
import type { ViewOptions } from "./node-lines.ts";
import { problemLines } from "./problem-lines.ts";
import { oneLine, terminalText } from "./terminal-text.ts";

/** The first line of a call whose nodes are shown below it. It never changes. */
export const callStart = (call: CallNode, options: ViewOptions): string[] => {
  const { name, summary } = describeCall(call);
  return [
    line(
      [
        ["cyan", "▾ "],
        ["bold", oneLine(name)],
        ["dim", summary && `  ${oneLine(summary)}`],
      ],
      options,
    ),
  ];
};

/** The current state of a call, or how it ended. Omits the arguments if `callStart` has already printed them. */
export const callEnd = (call: CallNode, options: ViewOptions, hasStart = false): string[] => {
  const facts = describeCall(call);
  const { badge, name, summary, time, edits, repeat, exit, isOver, problem } = facts;
  const took = timeText(time, options.now);
  const note = (hasStart && edits === "") || summary === "" ? "" : `  ${oneLine(summary)}`;
  const lines = [
    line(
      [
        badgePiece(badge, options.now),
        " ",
        ["bold", oneLine(name)],
        ["dim", `${note}${edits && ` ${edits}`}${repeat && ` ${repeat}`}`],
        ["red", exit && `  ${exit}`],
      ],
      options,
      [["dim", `  ${badge.word}${took && `  ${took}`}`]],
    ),
  ];
  const below = { ...options, width: options.width - 2 };
  const rest = !isOver
    ? workLines(call, facts, below)
    : problem
      ? problemLines(problem, below)
      : resultLines(call, below);
  return [...lines, ...rest.map((text) => `  ${text}`)];
};

/** What a call adds to the sub-agent that it started, below the sub-agent's last line. Empty while nothing is added. */
export const delegationEnd = (call: CallNode, delegation: Delegation, options: ViewOptions): string[] => {
  const { call: facts, time, hasOwnResult } = delegation;
  const below = { ...options, width: options.width - 2 };
  const lines = time ? [line([["dim", `${oneLine(facts.name)}  ${timeText(time, options.now)}`]], below)] : [];
  if (hasOwnResult) lines.push(...resultLines(call, below));
  return lines.map((text) => `  ${text}`);
};

const workLines = (call: CallNode, { status, fraction }: CallFacts, options: ViewOptions): string[] => {
  const lines: string[] = [];
  const note = oneLine(status);
  if (fraction !== undefined)
    lines.push(line([["cyan", bar(fraction)], ` ${Math.round(fraction * 100)} %${note && ` ${note}`}`], options));
  else if (note) lines.push(line([["cyan", note]], options));
  return [...lines, ...outputLines(call, options)];
};

const outputLines = ({ output }: CallNode, options: ViewOptions): string[] => {
  const last = output.slice(-4).map(({ text }) => text);
  const text = terminalText(last.join("").slice(-OUTPUT_ROWS * options.width)).trimEnd();
  if (text === "") return [];
  return text
    .split("\n")
    .slice(-OUTPUT_ROWS)
    .map((words) => line([["dim", `│ ${words}`]], options));
};

const resultLines = (call: CallNode, options: ViewOptions): string[] => {
  const { parts = [], data } = describeResult(call) ?? {};
  const shownParts: readonly ResultPart[] = data === undefined ? parts : [...parts, { kind: "value", value: data }];
  const text = shownParts.map(partText).join("\n").trim();
  const lines = text === "" ? [] : text.split("\n");
  const shown = lines.slice(0, RESULT_ROWS).map((words) => line([["dim", words]], options));
  if (lines.length > RESULT_ROWS)
    shown.push(line([["dim", `… ${counted(lines.length - RESULT_ROWS, "more line")}`]], options));
  return shown;
};

const partText = (part: ResultPart): string => {
  switch (part.kind) {
    case "text":
      return terminalText(part.text);
    case "value":
      return oneLine(JSON.stringify(part.value));
    case "link":
      return oneLine([part.link.text, part.link.href].filter(Boolean).join("  "));
    case "file":
      return part.file.head === undefined ? oneLine(describeFile(part.file).name) : terminalText(part.file.head);
  }
};

const OUTPUT_ROWS = 4;
const RESULT_ROWS = 3;

const bar = (fraction: number): string => {
  const full = Math.round(fraction * 20);
  return "━".repeat(full) + "╌".repeat(20 - full);
};
