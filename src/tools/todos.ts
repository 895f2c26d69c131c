import { z } from "zod";
import { dataSchemas } from "../events.ts";
import { type Tool, defineTool } from "../tool.ts";

const input = z.object({
  todos: dataSchemas.todos
    .max(100)
    .refine((list) => new Set(list.map((todo) => todo.id)).size === list.length, "two todos have the same id")
    .describe("The whole list, in order. Keep the id of a todo that stays"),
});

/** Shows the plan of a longer task to all viewers. */
export const todos = (): Tool =>
  defineTool({
    name: "write_todos",
    description:
      "Write the list of todos for a task of several steps, shown to the user. Replaces the whole list: give every todo each time, with its status: pending, active (you work on it now), done or cancelled. Call it when you have a plan, when you begin a todo and as soon as one is done. Not needed for a task of one or two steps.",
    input,
    doing: "Updating the plan…",
    run({ todos: list }, context) {
      context.data("todos", list);
      const counts = (["done", "active", "pending", "cancelled"] as const)
        .map((status) => ({ status, count: list.filter((todo) => todo.status === status).length }))
        .filter(({ count }) => count > 0)
        .map(({ status, count }) => `${count} ${status}`);
      if (list.length === 0) return "The list is empty.";
      return `${list.length} ${list.length === 1 ? "todo" : "todos"}: ${counts.join(", ")}.`;
    },
  }) as Tool;
