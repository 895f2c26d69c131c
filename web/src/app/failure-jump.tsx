import { type ReactNode, useState } from "react";
import type { KeyCommand } from "./keys.ts";

interface FailureJumpProps {
  /** How often the user asked for the next failure, on any screen. */
  readonly presses: number;
  readonly isAtEnd: boolean;
  /** Gets how often the user asked on this screen. */
  readonly children: (wanted: number) => ReactNode;
}

/**
 * Renders what finds failures only once the user asks for one or leaves the end: while an answer streams at the end,
 * nothing is searched, and no button covers it.
 */
export const FailureJump = ({ presses, isAtEnd, children }: FailureJumpProps) => {
  const [before] = useState(presses);
  const wanted = presses - before;
  return wanted > 0 || !isAtEnd ? children(wanted) : null;
};

/** The key that goes to the failure after the focused one. */
export const failureCommand = (find: () => void): KeyCommand => ({
  key: "f",
  does: "Go to the next failure",
  run: find,
});
