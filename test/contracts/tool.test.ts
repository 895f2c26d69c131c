import { readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Tool, ToolResult } from "../../src/tool.ts";
import { callTool, recordingContext, textOf, toolNamed } from "../tools/recording-context.ts";
import { INSTANT, type ToolVariant, toolVariants } from "./tool-variants.ts";

const names = readdirSync(path.join(import.meta.dirname, "../../src/tools"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3));

test("every tool is tested against the contract", () => {
  expect(Object.keys(toolVariants).toSorted()).toEqual(names.toSorted());
});

const toolsOf = async ({ tools }: ToolVariant): Promise<readonly Tool[]> => {
  if (!("open" in tools)) return tools;
  const { signal } = new AbortController();
  const request = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }] };
  const opened = await tools.open({ request, signal, status: () => {}, notify: () => {} });
  return await opened.tools();
};

const schemaOf = ({ input }: Tool): unknown =>
  "jsonSchema" in input ? input.jsonSchema : z.toJSONSchema(input as unknown as z.ZodType, { io: "input" });

describe.each(Object.entries(toolVariants))("the tools of %s", (variantName, make) => {
  test("have names that every provider accepts, a description and an object schema", async () => {
    const tools = await toolsOf(await make());
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(tool.description.trim()).not.toBe("");
      expect(schemaOf(tool)).toMatchObject({ type: "object" });
    }
  });

  test("return a result", async () => {
    const variant = await make();
    const result = await callTool(toolNamed(await toolsOf(variant), variant.works.tool), variant.works.input);
    expect(textOf(result)).not.toBe("");
    if (result instanceof ToolResult) expect(result.isError).toBe(false);
  });

  test("report their errors", async () => {
    const variant = await make();
    const tool = toolNamed(await toolsOf(variant), variant.fails.tool);
    const result = await callTool(tool, variant.fails.input).catch((error: unknown) => error);
    const message = result instanceof Error ? result.message : textOf(result);
    expect(result instanceof Error || (result instanceof ToolResult && result.isError)).toBe(true);
    expect(message.length).toBeGreaterThan(10);
  });

  if (INSTANT.includes(variantName)) return;
  test("stop when their signal aborts", async () => {
    const variant = await make();
    const { tool, input } = variant.stays!;
    const stop = new AbortController();
    const context = recordingContext({ signal: stop.signal });
    const running = callTool(toolNamed(await toolsOf(variant), tool), input, context).catch(() => {});
    await sleep(50);
    stop.abort(new Error("stopped"));
    // The call would run for ten minutes, so it ends here only if it stops on its own.
    await running;
  });
});
