import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { torture } from "../../scripts/mutants/torture.ts";
import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import { trials } from "../../src/torture.ts";
import { withSubAgents } from "../../src/torture/drivers/ai-sdk/sub-agents.ts";

const guide = readFileSync(path.join(import.meta.dirname, "../../docs/torture.md"), "utf8");

test.each(trials)("$name has a mutant that it must notice, and a line in the guide", ({ name }) => {
  const noticing = torture.filter(({ named }) => new RegExp(named!).test(`trial ${name}`));
  expect(noticing).toHaveLength(1);
  expect(guide).toContain(`\n| \`${name}\` | `);
});

test("every mutant of the kit belongs to a trial", () => {
  expect(torture).toHaveLength(trials.length);
});

test("the AI SDK's sub-agents are read from the messages that their calls show so far", () => {
  const decode = withSubAgents(aiSdk.decode());
  const message = (text: string) => ({ id: "", role: "assistant", parts: [{ type: "text", text }] });
  const chunks = [
    { type: "start" },
    { type: "start-step" },
    { type: "tool-input-available", toolCallId: "c", toolName: "delegate", input: {} },
    ...["one", "one, two"].map((text) => ({
      type: "tool-output-available",
      toolCallId: "c",
      output: message(text),
      preliminary: true,
    })),
  ];
  const events = chunks.flatMap((chunk) => decode({ data: JSON.stringify(chunk) }));
  const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []));
  expect(deltas).toEqual(["one", ", two"]);
  expect(events.filter(({ type }) => type === "agent-start")).toHaveLength(1);
});
