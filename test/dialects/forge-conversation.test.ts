import { expect, test } from "vitest";
import { forge } from "../../src/dialects/forge.ts";
import { native } from "../../src/dialects/native.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { post, textSource, serve } from "../serving.ts";
import { forgePage, iconOf } from "./forge-page.ts";

const dialects = [native, forge];

test("an answer that waits for the client ends with a note", async () => {
  const source: Source = async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "tool-start", call: "c", name: "pick_place" };
    yield { type: "tool-input-end", call: "c", input: {} };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "tool-end", call: "c", outcome: "deferred" };
    yield { type: "run-end", outcome: "done", awaiting: ["c"] };
  };
  const { url } = await serve(source, { dialects });
  const page = forgePage(`${url}/forge`);
  await page.send("go");
  expect(page.seen.at(-1)).toMatchObject({
    event: "complete",
    data: { awaiting_interaction: true, interactive_tool_call_id: "c" },
  });
});

test("a notice stays on the page, and the run continues", async () => {
  const source: Source = async function* (request, context) {
    yield { type: "notice", level: "warning", text: "The MCP server weather cannot be reached." };
    yield* textSource(["Without it."])(request, context);
  };
  const { url } = await serve(source, { dialects });
  const page = forgePage(`${url}/forge`);
  await page.send("go");
  const { content, cards } = page.messages.at(-1)!;
  expect(content).toBe("Without it.");
  expect(cards?.map((card) => [card.tool_name, iconOf(card), card.result])).toEqual([
    ["runcast__notice", "✗", "The MCP server weather cannot be reached."],
  ]);
});

test("the cards of two runs of one conversation do not share ids, with approvals and sub-agents", async () => {
  const { url } = await serve(demoAgent({ speed: Infinity }), { dialects });
  const page = forgePage(`${url}/forge`);
  const answering = async (message: string, allow: boolean) => {
    const sent = page.send(message);
    const answered = new Set<string>();
    const look = async () => {
      for (const { id, tool_name: name, status, arguments: input } of page.live.cards) {
        if (name !== "waiting_for_your_answer" || status !== "pending" || answered.has(id)) continue;
        answered.add(id);
        const [, run] = /\?run=(.+)$/.exec(String(input["waiting"]))!;
        await post(`${url}/runs/${run}/asks/${id}`, { allow });
      }
    };
    const timer = setInterval(() => void look(), 2);
    await sent;
    clearInterval(timer);
  };
  const approval = "Send the report, but ask for my approval first";
  const nested = "Start three sub-agents in parallel";
  for (const [message, allow] of [
    [approval, true],
    [nested, true],
    [approval, false],
    [nested, true],
  ] as const)
    await answering(message, allow);
  const answers = page.messages.filter(({ role }) => role === "assistant");
  const ids = answers.flatMap(({ cards = [] }) => cards.map(({ id }) => id));
  expect(ids.length).toBeGreaterThan(12);
  expect(new Set(ids).size).toBe(ids.length);
  const outcomes = answers.map(({ cards = [] }) => cards.find((card) => card.tool_name === "send_report"));
  expect(outcomes.map((card) => card && iconOf(card))).toEqual(["✓", undefined, "✗", undefined]);
});
