import { duration } from "../amounts.ts";
import { approvalsOf, choicesOf } from "../protocol.ts";
import type { AskNode } from "../state.ts";
import { type Piece, line } from "./line.ts";
import type { ViewOptions } from "./node-lines.ts";
import { oneLine, terminalText, wrap } from "./terminal-text.ts";

/** A question to a person: while it is open, what is asked and how to answer; then the answer. */
export const askLines = (node: AskNode, options: ViewOptions): string[] => {
  const { ask } = node;
  const title = oneLine(ask.title ?? TITLES[ask.kind]);
  if (node.outcome !== undefined) return [line([answered(node), ["dim", `  ${title}`]], options)];
  const lines = [
    line(
      [
        ["yellow", "? "],
        ["bold", title],
      ],
      options,
      [["dim", `  waiting for you ${duration(options.now - node.startedAt)}`]],
    ),
  ];
  const below = { ...options, width: options.width - 2 };
  const add = (...pieces: Piece[]) => lines.push(`  ${line(pieces, below)}`);
  if (ask.message) for (const words of wrap(terminalText(ask.message), below.width).slice(0, 8)) add(words);
  if (ask.value !== undefined) {
    const text = terminalText(typeof ask.value === "string" ? ask.value : JSON.stringify(ask.value, null, 2)).split(
      "\n",
    );
    for (const words of text.slice(0, VALUE_ROWS)) add(["dim", words]);
    if (text.length > VALUE_ROWS) add(["dim", `… ${text.length - VALUE_ROWS} more lines`]);
  }
  for (const { value, label, description } of choicesOf(ask)) {
    const words = label === undefined ? "" : `  ${oneLine(label)}`;
    add(["cyan", `• ${oneLine(JSON.stringify(value))}`], words, [
      "dim",
      description ? `  ${oneLine(description)}` : "",
    ]);
  }
  for (const { id, label, allow } of approvalsOf(ask))
    add(["cyan", `• ${oneLine(id)}`], `  ${oneLine(label)}`, ["dim", allow ? "  allows" : "  denies"]);
  if (ask.expires !== undefined) add(["dim", `expires in ${duration(ask.expires - options.now)}`]);
  const how = options.howToAnswer?.(node) ?? [];
  for (const words of how.flatMap((text) => wrap(text, below.width))) add(["yellow", words]);
  return lines;
};

const answered = ({ outcome, answer, by }: AskNode): Piece => {
  const who = by ? ` by ${oneLine(by)}` : "";
  if (outcome !== "answered") return ["yellow", `⊘ ${outcome === "expired" ? "nobody answered in time" : outcome}`];
  if (answer?.allow === true) return ["green", `✓ allowed${answer.input === undefined ? "" : " with edits"}${who}`];
  if (answer?.allow === false) return ["yellow", `⊘ denied${who}${answer.reason ? `: ${oneLine(answer.reason)}` : ""}`];
  return ["green", `✓ answered${who}: ${oneLine(JSON.stringify(answer?.value ?? null)).slice(0, 200)}`];
};

const VALUE_ROWS = 8;

const TITLES: Readonly<Record<AskNode["ask"]["kind"], string>> = {
  approval: "May this call run?",
  confirmation: "Yes or no?",
  input: "Input is needed",
  choice: "Choose one",
  result: "The result of this call is needed",
  execute: "Code for the client to run",
};
