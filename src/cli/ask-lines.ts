import type { AskNode } from "../state.ts";
import { counted, describeAsk, remainingText, timeText } from "../view.ts";
import { badgePiece } from "./badge-piece.ts";
import { type Piece, line } from "./line.ts";
import type { ViewOptions } from "./node-lines.ts";
import { oneLine, terminalText, wrap } from "./terminal-text.ts";

/** An ask: while it is open, the question and how to answer it, then the answer. */
export const askLines = (node: AskNode, options: ViewOptions): string[] => {
  const { ask } = node;
  const { badge, isOpen, title, message, reply, choices, expires, time } = describeAsk(node);
  const mark = badgePiece(badge, options.now);
  if (!isOpen) return [line([mark, ` ${oneLine(reply)}`, ["dim", `  ${oneLine(title)}`]], options)];
  const lines = [
    line([mark, " ", ["bold", oneLine(title)]], options, [["dim", `  ${badge.word}  ${timeText(time, options.now)}`]]),
  ];
  const below = { ...options, width: options.width - 2 };
  const add = (...pieces: Piece[]) => lines.push(`  ${line(pieces, below)}`);
  if (message) for (const words of wrap(terminalText(message), below.width).slice(0, 8)) add(words);
  if (ask.value !== undefined) {
    const text = terminalText(typeof ask.value === "string" ? ask.value : JSON.stringify(ask.value, null, 2)).split(
      "\n",
    );
    for (const words of text.slice(0, VALUE_ROWS)) add(["dim", words]);
    if (text.length > VALUE_ROWS) add(["dim", `… ${counted(text.length - VALUE_ROWS, "more line")}`]);
  }
  for (const { label, description, answer } of choices)
    add(
      ["cyan", `• ${oneLine(label)}`],
      ["dim", `  ${oneLine(JSON.stringify(answer))}`],
      ["dim", description && `  ${oneLine(description)}`],
    );
  if (expires !== undefined) add(["dim", remainingText(expires, options.now)]);
  const how = options.howToAnswer?.(node) ?? [];
  for (const words of how.flatMap((text) => wrap(text, below.width))) add(["yellow", words]);
  return lines;
};

const VALUE_ROWS = 8;
