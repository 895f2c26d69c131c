import { expect, test } from "vitest";
import { demoAgent } from "../../src/models/demo.ts";
import { describeStart } from "../../src/view.ts";

const toolsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `tool_${index + 1}` }));
const factsOf = (agent: object) =>
  describeStart({ name: "a", ...agent }).facts.map(({ label, items, shown, more }) => [
    label,
    items.length,
    shown,
    more,
  ]);

test("an agent is described by what is known about it", () => {
  expect(describeStart({ name: "a" })).toEqual({ name: "a", description: "", facts: [], suggestions: [] });
  const facts = describeStart({
    name: "helper",
    description: "Helps\nwith \u202Eeverything.",
    model: "small",
    models: ["small", "large"],
    modes: ["plan"],
    tools: [{ name: "search", description: "Searches\nthe notes." }, { name: "roll" }],
    suggestions: ["1", "2", "3", "4", "5"],
  });
  expect(facts.description).toBe("Helps with ⟦U+202E⟧everything.");
  expect(facts.facts.map(({ label, items }) => [label, items.map(({ name, about }) => `${name} ${about}`)])).toEqual([
    ["Models", ["small ", "large "]],
    ["Tools", ["search Searches the notes.", "roll "]],
    ["Modes", ["/plan "]],
  ]);
  expect(facts.suggestions).toEqual(["1", "2", "3", "4"]);
});

test("many tools fold, but never a single one", () => {
  expect(factsOf({ tools: toolsOf(9) })).toEqual([["Tools", 9, 9, ""]]);
  expect(factsOf({ tools: toolsOf(20) })).toEqual([["Tools", 20, 8, "and 12 more"]]);
  expect(factsOf({ tools: toolsOf(1300) })).toEqual([["Tools", 1300, 8, "and 1,292 more"]]);
  expect(factsOf({ tools: [{ name: "x", description: "Does x." }] })).toEqual([["Tools", 1, 1, "Show description"]]);
  expect(factsOf({ model: "m" })).toEqual([["Model", 1, 1, ""]]);
});

test("the demo suggests first what a newcomer should see", () => {
  expect(describeStart({ name: "demo", ...demoAgent().about }).suggestions).toEqual([
    "Show sub-agents, nested three deep",
    "Send the report, but ask for my approval first",
    "Show me a failing tool",
    "Run the checks",
  ]);
});
