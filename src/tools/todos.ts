import { z } from "zod";
import { dataSchemas } from "../events.ts";
import { type Tool, defineTool } from "../tool.ts";

const input = z.object({
  todos: dataSchemas.todos
    .max(100)
    .refine((list) => new Set(list.map((todo) => todo.id)).size === list.length, "two todos have the same id")
    .describe("The whole list, in order. Keep the ids of todos that stay"),
});

/** Shows the plan of a longer task to all viewers. */
export const todos = (): Tool =>
  defineTool({
    name: "write_todos",
    description:
      "Writes the todo list for a task with several steps. The user sees it. Replaces the whole list, so include every todo each time, with its status: pending, active (in progress), done or cancelled. Call it when you have a plan, when you start a todo and as soon as one is done. Not needed for a task with one or two steps.",
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
