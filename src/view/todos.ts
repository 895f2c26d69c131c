import type { Json } from "../events.ts";
import { oneLine } from "./text.ts";

/** An item of a plan. */
export interface Todo {
  readonly id: string;
  readonly text: string;
  /** `left`: still active when the run ended. */
  readonly status: "pending" | "active" | "done" | "cancelled" | "left";
  readonly word: string;
}

export interface PlanFacts {
  readonly todos: readonly Todo[];
  /** `2 of 5 done`. */
  readonly progress: string;
  /** The index of the first unfinished item, or 0 if there is none. */
  readonly next: number;
}

/** Returns the plan, or undefined if the value is not one: a slot may hold any JSON. No item is active once the run is over. */
export const describePlan = (value: Json | undefined, isOver: boolean): PlanFacts | undefined => {
  if (!Array.isArray(value) || !value.every(isTodo)) return undefined;
  const todos = (value as unknown as readonly Omit<Todo, "word">[]).map(({ id, text, status }): Todo => {
    const shown = status === "active" && isOver ? "left" : status;
    return { id, text: oneLine(text, 2000), status: shown, word: WORDS[shown] };
  });
  const done = todos.filter(({ status }) => status === "done").length;
  const next = todos.findIndex(({ status }) => status === "active" || status === "pending");
  return { todos, progress: `${done} of ${todos.length} done`, next: Math.max(0, next) };
};

const WORDS = {
  pending: "to do",
  active: "in progress",
  done: "done",
  cancelled: "dropped",
  left: "started, not finished",
} as const;

const isTodo = (item: Json): boolean =>
  typeof item === "object" &&
  item !== null &&
  !Array.isArray(item) &&
  typeof item.id === "string" &&
  typeof item.text === "string" &&
  ["pending", "active", "done", "cancelled"].includes(item.status as string);
