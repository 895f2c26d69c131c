import type { Badge, ShownState, Tone } from "../view.ts";
import type { Piece } from "./line.ts";

/** A state as one character, in the color of its tone. */
export const badgePiece = ({ state, tone }: Badge, now: number): Piece => [COLORS[tone], SIGNS[state] ?? spinner(now)];

const COLORS = {
  waiting: "yellow",
  active: "cyan",
  good: "green",
  bad: "red",
  stopped: "yellow",
  plain: "cyan",
} as const satisfies Readonly<Record<Tone, string>>;

/** Undefined: animated by the spinner. */
const SIGNS: Readonly<Record<ShownState, string | undefined>> = {
  pending: "○",
  executing: undefined,
  ok: "✓",
  done: "✓",
  error: "✗",
  denied: "⊘",
  cancelled: "⊘",
  timeout: "✗",
  interrupted: "✗",
  deferred: "→",
  cut: "!",
  filtered: "⊘",
  waiting: "?",
  answered: "✓",
  expired: "⊘",
};

export const spinner = (now: number): string => FRAMES[Math.floor(now / 80) % FRAMES.length]!;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
