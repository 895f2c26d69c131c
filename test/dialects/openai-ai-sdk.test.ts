import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { asksOf, endOf, failing, openai, stories, tools, twoClientCalls, wordsOf } from "./openai-client.ts";
import { endingOf } from "./ending.ts";

const FINISH: Readonly<Record<string, string>> = { length: "length", filter: "content-filter" };

const models: readonly [string, (url: string, name: string) => LanguageModelV4][] = [
  ["responses", (url, name) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).responses(name)],
  ["chat", (url, name) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).chat(name)],
  [
    "compatible",
    (url, name) =>
      createOpenAICompatible({ name: "runcast", baseURL: `${url}/v1`, includeUsage: true }).chatModel(name),
  ],
];
const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];
const clientTools = tools.map(({ function: { name } }) => ({
  type: "function" as const,
  name,
  inputSchema: { type: "object" as const },
}));

const partsOf = async (model: LanguageModelV4, withTools = false): Promise<LanguageModelV4StreamPart[]> => {
  const { stream } = await model.doStream({ prompt, ...(withTools && { tools: clientTools }) });
  return await Array.fromAsync(stream);
};
const wordsIn = (parts: readonly LanguageModelV4StreamPart[], type: "text-delta" | "reasoning-delta") =>
  parts.map((part) => (part.type === type ? part.delta : "")).join("");

/** Third-party clients, which validate responses with their own schemas. */
describe.each(models)("the AI SDK's %s model", (kind, modelOf) => {
  test.each([...stories])("%s", async (name, entries) => {
    const { url } = await openai();
    const parts = await partsOf(modelOf(url, name));
    const end = endOf(entries);
    expect(wordsIn(parts, "text-delta")).toBe(wordsOf(entries, "text").join(""));
    // The `chat` model reads no reasoning. What the user is asked is reasoning, too.
    if (kind !== "chat" && asksOf(entries).length === 0)
      expect(wordsIn(parts, "reasoning-delta")).toBe(wordsOf(entries, "thinking").join(""));
    const failed = end.outcome === "error" || end.outcome === "interrupted";
    const hasResult = failed || (kind !== "responses" && end.outcome !== "done");
    expect(parts.some(({ type }) => type === "error")).toBe(hasResult);
    if (end.outcome !== "done") return;
    const finish = parts.find((part) => part.type === "finish");
    const ending = FINISH[endingOf(entries).finish] ?? "stop";
    expect(finish?.finishReason.unified).toBe(name === "client-run-tool" ? "tool-calls" : ending);
    expect(finish?.usage.outputTokens.total).toBe(end.usage?.output);
  });

  test("calls of the client's tools", async () => {
    const { url } = await openai({ calls: twoClientCalls });
    const parts = await partsOf(modelOf(url, "calls"), true);
    expect(
      parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part.toolName, part.input]] : [])),
    ).toEqual([
      ["call_a", "weather", '{"city":"Bern"}'],
      ["call_b", "show_map", '{"place":"Basel"}'],
    ]);
  });

  test("an error in the middle of a stream", async () => {
    const { url } = await openai({ failing });
    const parts = await partsOf(modelOf(url, "failing"));
    expect(wordsIn(parts, "text-delta")).toBe("I begin");
    const [error, ...others] = parts.flatMap((part) => (part.type === "error" ? [part.error] : []));
    expect(others).toEqual([]);
    expect(JSON.stringify(error) + String((error as Error).message)).toContain("the disk is full");
  });
});
