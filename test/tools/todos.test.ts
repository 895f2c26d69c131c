import { describe, expect, test } from "vitest";
import { dataSchemas } from "../../src/events.ts";
import { todos } from "../../src/tools/todos.ts";
import { callTool, recordingContext } from "./recording-context.ts";

describe("write_todos", () => {
  test("replaces the list, in the slot that UIs know", async () => {
    const context = recordingContext();
    const list = [
      { id: "1", text: "Read", status: "done" },
      { id: "2", text: "Write", status: "active" },
      { id: "3", text: "Check", status: "pending" },
    ];
    expect(await callTool(todos(), { todos: list }, context)).toBe("3 todos: 1 done, 1 active, 1 pending.");
    expect(await callTool(todos(), { todos: [] }, context)).toBe("The list is empty.");
    expect(context.emitted.map(({ name, value }) => ({ name, value }))).toEqual([
      { name: "todos", value: list },
      { name: "todos", value: [] },
    ]);
    for (const { value } of context.emitted) expect(dataSchemas.todos.safeParse(value).success).toBe(true);
  });

  test.each([
    ["an unknown status", [{ id: "1", text: "a", status: "completed" }]],
    ["no id", [{ id: "", text: "a", status: "done" }]],
    [
      "a duplicate id",
      [
        { id: "1", text: "a", status: "done" },
        { id: "1", text: "b", status: "done" },
      ],
    ],
    ["too many", Array.from({ length: 101 }, (_, index) => ({ id: `${index}`, text: "a", status: "done" }))],
  ])("refuses %s and emits nothing", async (_, list) => {
    const context = recordingContext();
    await expect(callTool(todos(), { todos: list }, context)).rejects.toThrow("invalid input");
    expect(context.emitted).toEqual([]);
  });
});
