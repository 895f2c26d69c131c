import type { Json } from "runcast/events";

export interface Todo {
  readonly id: string;
  readonly text: string;
  readonly status: "pending" | "active" | "done" | "cancelled";
}

/** A plan, if the value is one; a slot may hold anything. */
export const todosOf = (value: Json): readonly Todo[] | undefined =>
  Array.isArray(value) && value.every(isTodo) ? (value as unknown as readonly Todo[]) : undefined;

const isTodo = (item: Json): boolean =>
  typeof item === "object" &&
  item !== null &&
  !Array.isArray(item) &&
  typeof item.id === "string" &&
  typeof item.text === "string" &&
  ["pending", "active", "done", "cancelled"].includes(item.status as string);
