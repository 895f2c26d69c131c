import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Tool } from "../../src/tool.ts";
import { files } from "../../src/tools/files.ts";
import { http } from "../../src/tools/http.ts";
import { shell } from "../../src/tools/shell.ts";
import { todos } from "../../src/tools/todos.ts";

const workspace = tmpdir();
const tools: readonly Tool[] = [...files({ workspace }), shell({ enabled: true, workspace }), todos(), http()];

test.each(tools.map((tool) => [tool.name, tool] as const))("%s can be described to a model", (name, tool) => {
  expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(tool.description.length).toBeGreaterThan(60);
  // Providers accept only an object at the top level, without alternatives.
  const schema = z.toJSONSchema(tool.input as unknown as z.ZodType, { io: "input" });
  expect(schema).toMatchObject({ type: "object", properties: expect.anything() });
  expect(Object.keys(schema)).not.toEqual(expect.arrayContaining(["anyOf"]));
});

test("tool names are unique", () => {
  expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
});
