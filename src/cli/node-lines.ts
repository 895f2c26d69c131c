import { duration, usageText } from "../amounts.ts";
import type { Content, Json, Problem } from "../events.ts";
import type { AgentNode, AskNode, CallNode, MarkNode, Node, PartNode, StepNode } from "../state.ts";
import { askLines } from "./ask-lines.ts";
import { type LineOptions, type Piece, line } from "./line.ts";
import { clip, oneLine, terminalText, wrap } from "./terminal-text.ts";

export interface ViewOptions extends LineOptions {
  /** Milliseconds since 1970, by the clock of the log. */
  readonly now: number;
  /** How a person can answer an ask, in lines. */
  readonly howToAnswer?: (ask: AskNode) => readonly string[];
}

/** The lines of a node that holds no other nodes, or whose nodes are all told in its own lines. */
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
      return [line([["cyan", "↻ Continued after an interruption"]], options)];
    default:
      return [line(markPieces(node), options)];
  }
};

const indented = (item: Node, options: ViewOptions): string[] =>
  nodeLines(item, { ...options, width: options.width - 2 }).map((text) => `  ${text}`);

/** The text from one place to another, of which the first is the start of a line. */
export const textLines = (part: PartNode, from: number, to: number, options: ViewOptions): string[] => {
  const isEnd = part.endedAt !== undefined && to === part.text.length;
  const text = terminalText(part.text.slice(from, to)).replace(isEnd ? /\n+$/ : /\n$/, "");
  const lines = isEnd && text === "" && from > 0 ? [] : wrap(text, options.width);
  const shown = part.replacedBy === undefined ? lines : lines.map((words) => line([["dim", words]], options));
  if (part.replaces !== undefined && from === 0)
    shown.unshift(line([["dim", "(in place of what was said before)"]], options));
  if (part.cut && isEnd) shown.push(line([["yellow", "(cut off here)"]], options));
  return shown;
};

/** How much of a text is whole lines that stand. Line breaks at its end count only once something follows them. */
export const settledLength = ({ text, endedAt }: PartNode): number => {
  if (endedAt !== undefined) return text.length;
  let end = text.length;
  while (end > 0 && LINE_BREAKS.includes(text[end - 1]!)) end--;
  return end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
};

const LINE_BREAKS = "\n\r\v\f\u0085\u2028\u2029";

export const thinkingLine = (part: PartNode, options: ViewOptions): string => {
  const took = duration((part.endedAt ?? options.now) - part.startedAt);
  const hidden = part.redacted ? ", hidden by the provider" : "";
  if (part.endedAt !== undefined)
    return line([["dim", `✻ thought${part.cut ? ", cut off" : ` for ${took}`}${hidden}`]], options);
  const last = oneLine(part.text.slice(-2 * options.width));
  const room = options.width - 20 - took.length;
  return line(
    [
      ["cyan", spinner(options.now)],
      ["dim", ` thinking ${took}  ${tail(last, room)}`],
    ],
    options,
  );
};

export const stepLines = (step: StepNode, options: ViewOptions): string[] => [
  line([["dim", `── ${step.model ? oneLine(step.model) : "step"} ──`]], options),
  ...step.retries.map(({ attempt, wait, error }) =>
    line([["yellow", `↻ try ${attempt} after ${duration(wait)}: ${oneLine(error.message)}`]], options),
  ),
];

// ── Calls ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The first line of a call whose nodes are shown below it. It never changes again. */
export const callStart = (call: CallNode, options: ViewOptions): string[] => [
  line(
    [
      ["cyan", "▾ "],
      ["bold", nameOf(call)],
      ["dim", argumentsOf(call)],
    ],
    options,
  ),
];

/** What a call is now, or how it ended; without its arguments where its first line has them. */
export const callEnd = (call: CallNode, options: ViewOptions, hasStart = false): string[] => {
  const { state } = call;
  const end: Piece[] = [];
  if (state !== "ok" && state !== "executing" && state !== "error") end.push(["dim", `  ${state}`]);
  const took = executionTime(call, options.now);
  if (took !== undefined) end.push(["dim", `  ${duration(took)}`]);
  const mark: Piece = state === "executing" ? ["cyan", spinner(options.now)] : MARKS[state];
  const edited = call.edited ? " (arguments edited)" : "";
  const said = hasStart && !call.edited ? "" : argumentsOf(call) + edited;
  const lines = [line([mark, " ", ["bold", nameOf(call)], ["dim", said]], options, end)];
  const below = { ...options, width: options.width - 2 };
  const add = (text: string) => lines.push(`  ${text}`);
  if (call.endedAt === undefined) for (const text of workLines(call, below)) add(text);
  else if (call.error) for (const text of problemLines(call.error, below)) add(text);
  else for (const text of resultLines(call, below)) add(text);
  return lines;
};

const MARKS: Readonly<Record<Exclude<CallNode["state"], "executing">, Piece>> = {
  pending: ["dim", "○"],
  ok: ["green", "✓"],
  error: ["red", "✗"],
  denied: ["yellow", "⊘"],
  cancelled: ["yellow", "⊘"],
  timeout: ["red", "✗"],
  interrupted: ["red", "✗"],
  deferred: ["cyan", "→"],
};

/** Undefined if the call never executed: then nothing took any time. */
/** Nobody knows how long what was interrupted took: its end was written when the next process found it. */
const executionTime = ({ ms, executedAt, endedAt, state }: CallNode, now: number): number | undefined => {
  if (ms !== undefined || executedAt === undefined || state === "interrupted") return ms;
  return (endedAt ?? now) - executedAt;
};

const nameOf = (call: CallNode): string => oneLine(call.title ?? call.name);

const argumentsOf = ({ input, inputText, inputDone }: CallNode): string => {
  if (input === undefined || input === null) return inputText === "" ? "" : ` ${oneLine(inputText)}`;
  if (typeof input !== "object" || Array.isArray(input)) return ` ${short(input)}`;
  const said = Object.entries(input).map(([key, value]) => `${oneLine(key)}: ${short(value)}`);
  return said.length === 0 ? "" : ` ${said.join(", ")}${inputDone ? "" : " …"}`;
};

/** A value in a few words. Long strings are cut before they are looked at, so that a large one costs little. */
const short = (value: Json | undefined): string => {
  if (typeof value === "string") return `“${oneLine(value.slice(0, 200))}${value.length > 200 ? "…" : ""}”`;
  return clip(oneLine(JSON.stringify(value) ?? ""), 200);
};

const workLines = (call: CallNode, options: ViewOptions): string[] => {
  const lines: string[] = [];
  if (call.status) lines.push(line([["cyan", oneLine(call.status)]], options));
  const { fraction, note } = call.progress ?? {};
  const said = note === undefined ? "" : ` ${oneLine(note)}`;
  if (fraction !== undefined)
    lines.push(line([["cyan", bar(fraction)], ` ${Math.round(fraction * 100)} %${said}`], options));
  else if (said) lines.push(line([said.trim()], options));
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
  const text = (call.content ?? []).map(contentText).join("\n").trim();
  const lines = text === "" ? [] : text.split("\n");
  const shown = lines.slice(0, RESULT_ROWS).map((words) => line([["dim", words]], options));
  if (lines.length > RESULT_ROWS) shown.push(line([["dim", `… ${lines.length - RESULT_ROWS} more lines`]], options));
  return shown;
};

const contentText = (content: Content): string => {
  if (content.type === "text") return terminalText(content.text);
  if (content.type === "json") return oneLine(JSON.stringify(content.value));
  if (content.type === "link") return oneLine(`${content.title ?? ""} ${content.url}`);
  return content.head === undefined ? oneLine(content.name ?? content.mediaType) : terminalText(content.head);
};

const OUTPUT_ROWS = 4;
const RESULT_ROWS = 3;

// ── Agents, marks ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const agentStart = ({ name, task, model }: AgentNode, options: ViewOptions): string[] => [
  line(
    [
      ["cyan", "◆ "],
      ["bold", oneLine(name)],
      ["dim", model ? ` ${oneLine(model)}` : ""],
      task ? `  ${oneLine(task)}` : "",
    ],
    options,
  ),
];

export const agentEnd = (agent: AgentNode, options: ViewOptions): string[] => {
  const { outcome, status } = agent;
  const took: Piece = ["dim", `  ${duration((agent.endedAt ?? options.now) - agent.startedAt)}`];
  if (outcome === undefined)
    return [
      line(
        [["cyan", spinner(options.now)], ` ${oneLine(agent.name)}`, ["cyan", status ? `  ${oneLine(status)}` : ""]],
        options,
        [took],
      ),
    ];
  const usage = usageText(agent.usage);
  const pieces: Piece[] = [outcomeMark(outcome), ` ${oneLine(agent.name)} ${outcome}`, ["dim", usage && `  ${usage}`]];
  const end = outcome === "interrupted" ? [] : [took];
  return [line(pieces, options, end), ...(agent.error ? problemLines(agent.error, options) : [])];
};

export const outcomeMark = (outcome: NonNullable<AgentNode["outcome"]>): Piece =>
  outcome === "done" ? ["green", "✓"] : outcome === "cancelled" ? ["yellow", "⊘"] : ["red", "✗"];

export const problemLines = ({ message, hint }: Problem, options: ViewOptions): string[] => [
  ...wrap(terminalText(message), options.width)
    .slice(0, 6)
    .map((words) => line([["red", words]], options)),
  ...(hint ? [line([["dim", oneLine(hint)]], options)] : []),
];

const markPieces = ({ event }: MarkNode): Piece[] => {
  switch (event.type) {
    case "citation":
      return [
        [
          "dim",
          `※ ${oneLine(event.title ?? event.url ?? "a source")}${event.title && event.url ? `  ${oneLine(event.url)}` : ""}`,
        ],
      ];
    case "file":
      return [["green", "+ "], oneLine(event.name), ["dim", event.change ? `  ${event.change}` : ""]];
    case "embed":
      return [["cyan", "▣ "], oneLine(event.title ?? event.url ?? "embedded page")];
    case "notice":
      return [[NOTICE[event.level], `! ${oneLine(event.text)}`]];
  }
};

const NOTICE = { info: "cyan", success: "green", warning: "yellow", error: "red" } as const;

export const spinner = (now: number): string => FRAMES[Math.floor(now / 80) % FRAMES.length]!;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

const bar = (fraction: number): string => {
  const full = Math.round(fraction * 20);
  return "━".repeat(full) + "╌".repeat(20 - full);
};

/** The end of a text, if it is too long. */
const tail = (text: string, width: number): string =>
  text.length <= width ? text : width < 8 ? "" : `…${text.slice(text.length - width + 1)}`;
