import type { RunState } from "../state.ts";
import {
  counted,
  describeRun,
  messageText,
  type PlanFacts,
  type SlotFacts,
  slotsOf,
  timeText,
  type Todo,
} from "../view.ts";
import { badgePiece } from "./badge-piece.ts";
import { line, type Piece } from "./line.ts";
import type { ViewOptions } from "./node-lines.ts";
import { adviceLines, problemLines } from "./problem-lines.ts";
import { oneLine, terminalText, wrap } from "./terminal-text.ts";
import { createTranscript } from "./transcript.ts";

/** Renders a run at one moment: all settled lines, and as many live lines as fit `height`. */
export const render = (state: RunState, options: ViewOptions & { readonly height: number }): string[] => {
  const transcript = createTranscript(state);
  const lines = [...headLines(state, options), ...transcript.settled(options)];
  return [...lines, ...transcript.live(options), ...footLines(state, options)];
};

/** The agent, and the user's message. Empty before the run's first entry. */
export const headLines = (state: RunState, options: ViewOptions): string[] => {
  if (state.run === undefined) return [];
  const { name, model } = describeRun(state);
  const head = line(
    [
      ["bold", oneLine(name)],
      ["dim", `${model && `  ${oneLine(model)}`}  run ${oneLine(state.run)}`],
    ],
    options,
  );
  const asked = state.message ? terminalText(messageText(state.message)).trim() : "";
  const rows = asked === "" ? [] : wrap(asked, options.width - 2);
  const shown = rows.slice(0, MESSAGE_ROWS).map((words) => line([["cyan", "> "], words], options));
  if (rows.length > MESSAGE_ROWS)
    shown.push(line([["dim", `> … ${counted(rows.length - MESSAGE_ROWS, "more line")}`]], options));
  return [head, ...shown];
};

const MESSAGE_ROWS = 6;

/** How current the displayed data is. */
export interface ConnectionState {
  readonly text: string;
  /** Whether updates arrive as they happen. If not, nothing may be animated. */
  readonly isLive: boolean;
}

/** What the run is doing, or how it ended. */
export const footLines = (state: RunState, options: ViewOptions & { readonly known?: ConnectionState }): string[] => {
  const { known = { text: "", isLive: true } } = options;
  const facts = describeRun(state);
  if (!facts.hasStarted) return known.text ? [line([["dim", known.text]], options)] : [];
  const { badge, isOver, title, advice, time, usage, mode, problem, awaiting } = facts;
  const took = timeText(time, options.now);
  const spent = [usage, mode].map((text) => text && `  ${oneLine(text)}`).join("");
  if (!isOver && !known.isLive) {
    const last = `  last seen: ${oneLine(title)}${took && `, ${took}`}`;
    return [
      line(
        [
          ["yellow", `○ ${known.text}`],
          ["dim", last + spent],
        ],
        options,
      ),
    ];
  }
  const rest = `${took && `  ${took}`}${isOver || !known.text ? "" : `  ${known.text}`}${spent}`;
  return [
    line([badgePiece(badge, options.now), " ", ["bold", oneLine(title)], ["dim", rest]], options),
    ...slotsOf(state).flatMap((slot) => slotLines(slot, isOver, options)),
    ...adviceLines(advice, options),
    ...problemLines(problem, options),
    ...adviceLines(awaiting, options),
  ];
};

/** Live lines are redrawn, so they must leave room for the rest of a small terminal. */
const LIVE_ROWS = 6;
const ALL_ROWS = 50;

/** While the run works, only its plan. */
const slotLines = (slot: SlotFacts, isOver: boolean, options: ViewOptions): string[] => {
  if (slot.kind === "plan") return planLines(slot.plan, isOver ? ALL_ROWS : LIVE_ROWS, options);
  return isOver ? [line([["dim", oneLine(slot.text)]], options)] : [];
};

/** A plan. If not all items fit, starts at the one before the first unfinished item. */
const planLines = ({ todos, progress, next }: PlanFacts, rows: number, options: ViewOptions): string[] => {
  const from = Math.max(0, Math.min(next - 1, todos.length - rows));
  return [
    line(["Plan", ["dim", `  ${progress}`]], options),
    ...todos.slice(from, from + rows).map((todo) => line([POINTS[todo.status], ` ${oneLine(todo.text)}`], options)),
  ];
};

const POINTS = {
  pending: ["dim", "☐"],
  active: ["cyan", "▸"],
  done: ["green", "☑"],
  cancelled: ["dim", "☒"],
  left: ["yellow", "☐"],
} as const satisfies Record<Todo["status"], Piece>;
