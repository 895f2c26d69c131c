import type { AgentNode, AskNode, MarkNode, Node, PartNode, StepNode } from "../state.ts";
import {
  describeAgent,
  describeAside,
  describeResume,
  describeStep,
  describeText,
  describeThinking,
  isOver,
  timeText,
} from "../view.ts";
import { askLines } from "./ask-lines.ts";
import { badgePiece, spinner } from "./badge-piece.ts";
import { callEnd } from "./call-lines.ts";
import { type LineOptions, type Piece, line } from "./line.ts";
import { adviceLines, problemLines } from "./problem-lines.ts";
import { oneLine, terminalText, wrap } from "./terminal-text.ts";

export interface ViewOptions extends LineOptions {
  /** The displayed moment in milliseconds since 1970, by the log's clock. */
  readonly now: number;
  /** How the user can answer an ask, as lines. */
  readonly howToAnswer?: (ask: AskNode) => readonly string[];
}

/** The lines of a node without children, or whose children are all covered by its own lines. */
export const nodeLines = (node: Node, options: ViewOptions): string[] => {
  switch (node.kind) {
    case "text":
      return textLines(node, 0, node.text.length, options);
    case "thinking":
      return [thinkingLine(node, options)];
    case "step":
      return stepLines(node, options);
    case "call":
      return [...callEnd(node, options), ...node.items.flatMap((item) => indented(item, options))];
    case "agent":
      return [...agentStart(node, options), ...agentEnd(node, options)];
    case "ask":
      return askLines(node, options);
    case "resume":
      return [line([["cyan", `↻ ${describeResume(node)}`]], options)];
    default:
      return [line(markPieces(node), options)];
  }
};

const indented = (item: Node, options: ViewOptions): string[] =>
  nodeLines(item, { ...options, width: options.width - 2 }).map((text) => `  ${text}`);

/** The text between two offsets. `from` must be the start of a line. */
export const textLines = (part: PartNode, from: number, to: number, options: ViewOptions): string[] => {
  const facts = describeText(part);
  const isEnd = facts.isOver && to === part.text.length;
  const text = terminalText(part.text.slice(from, to)).replace(isEnd ? /\n+$/ : /\n$/, "");
  const lines = isEnd && text === "" && from > 0 ? [] : wrap(text, options.width);
  const shown = facts.isReplaced ? lines.map((words) => line([["dim", words]], options)) : lines;
  if (facts.takesPlace && from === 0) shown.unshift(line([["dim", "(replaces the text above)"]], options));
  if (facts.note && isEnd) shown.push(line([["yellow", facts.note]], options));
  return shown;
};

/**
 * The length of the text that consists of complete lines. Trailing line breaks count only once other text follows them.
 */
export const settledLength = (part: PartNode): number => {
  const { text } = part;
  if (isOver(part)) return text.length;
  let end = text.length;
  while (end > 0 && LINE_BREAKS.includes(text[end - 1]!)) end--;
  return end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
};

const LINE_BREAKS = "\n\r\v\f\u0085\u2028\u2029";

export const thinkingLine = (part: PartNode, options: ViewOptions): string => {
  const facts = describeThinking(part);
  const note = facts.note && `  ${facts.note}`;
  if (facts.isOver) return line([["dim", `✻ ${facts.title}${note}`]], options);
  const head = ` ${facts.title} ${timeText(facts.time, options.now)}${note}`;
  const last = oneLine(part.text.slice(-2 * options.width));
  return line(
    [
      ["cyan", spinner(options.now)],
      ["dim", `${head}  ${tail(last, options.width - head.length - 3)}`],
    ],
    options,
  );
};

export const stepLines = (step: StepNode, options: ViewOptions): string[] => {
  const { model, retries } = describeStep(step);
  return [
    line([["dim", `── ${oneLine(model) || "step"} ──`]], options),
    ...retries.map(({ title }) => line([["yellow", `↻ ${oneLine(title)}`]], options)),
  ];
};

export const agentStart = (agent: AgentNode, options: ViewOptions): string[] => {
  const { name, model, task } = describeAgent(agent);
  return [
    line(
      [["cyan", "◆ "], ["bold", oneLine(name)], ["dim", model && ` ${oneLine(model)}`], task && `  ${oneLine(task)}`],
      options,
    ),
  ];
};

export const agentEnd = (agent: AgentNode, options: ViewOptions): string[] => {
  const { badge, name, status, usage, time, problem, advice } = describeAgent(agent);
  const took = timeText(time, options.now);
  return [
    line(
      [
        badgePiece(badge, options.now),
        ` ${oneLine(name)}`,
        ["cyan", status && `  ${oneLine(status)}`],
        ["dim", usage && `  ${usage}`],
      ],
      options,
      [["dim", `  ${badge.word}${took && `  ${took}`}`]],
    ),
    ...adviceLines(advice, options),
    ...problemLines(problem, options),
  ];
};

const markPieces = (node: MarkNode): Piece[] => {
  const facts = describeAside(node);
  switch (facts.kind) {
    case "citation": {
      const { link, title } = facts;
      return [["dim", `※ ${oneLine(title)}${link?.href && link.text !== link.href ? `  ${oneLine(link.href)}` : ""}`]];
    }
    case "file":
      return [["green", "+ "], oneLine(facts.name), ["dim", facts.about && `  ${oneLine(facts.about)}`]];
    case "embed":
      return [["cyan", "▣ "], oneLine(facts.title)];
    case "notice":
      return [[NOTICE[facts.level], `! ${oneLine(facts.text)}`]];
  }
};

const NOTICE = { info: "cyan", success: "green", warning: "yellow", error: "red" } as const;

/** Returns the text, or its end if it is too long. */
const tail = (text: string, width: number): string =>
  text.length <= width ? text : width < 8 ? "" : `…${text.slice(text.length - width + 1)}`;
