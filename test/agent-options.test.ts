import { describe, expect, test } from "vitest";
import { z } from "zod";
import { demo } from "../src/models/demo.ts";
import { agentFactsSchema, describeAgent } from "../src/source.ts";
import { type AgentOptions, agent } from "../src/sources/agent.ts";
import { type Tool, defineTool } from "../src/tool.ts";
import { drive, user } from "./drive.ts";
import { post, serve } from "./serving.ts";

const model = demo({ speed: Infinity });
const make = (options: unknown) => () => agent(options as AgentOptions);
const input = z.object({});
const NO_PROVIDER = ", but its provider is missing; write <provider>/<model>, such as openai/gpt-5";

describe("creating an agent with invalid options throws an error with the agent, the field and what is expected", () => {
  const mistakes: readonly (readonly [string, unknown, string])[] = [
    ["no options", undefined, "agent: its options must be an object: agent({ model })"],
    ["a misspelled name", { nam: "a", model }, "agent: nam is not an option; did you mean name?"],
    ["a misspelled model", { name: "a", modle: model }, "agent a: modle is not an option; did you mean model?"],
    [
      "a name that is invalid in a path",
      { name: "di ce/", model },
      "agent di ce/: name must contain only letters, digits, ., - and _",
    ],
    ["a model without a provider", { name: "a", model: "gpt-5" }, `agent a: model is gpt-5${NO_PROVIDER}`],
    [
      "an additional model without a provider",
      { name: "a", model, models: ["acme/m", "m"] },
      `agent a: models contains m${NO_PROVIDER}`,
    ],
    [
      "a model with another interface",
      { name: "a", model: { ...model, specificationVersion: "v2" } },
      "agent a: model must be a model of the AI SDK's interface v4, but this one uses v2",
    ],
    [
      "a setting",
      { name: "a", model, settings: { topp: 1 } },
      "agent a: settings.topp is not an option; did you mean topP?",
    ],
    [
      "a field of a mode",
      { name: "a", model, modes: { Lec: { tool: [] } } },
      "agent a: modes.Lec.tool is not an option; did you mean tools?",
    ],
    ["a limit", { name: "a", model, maxSteps: "5" }, "agent a: maxSteps must be a number of steps, at least 1"],
    [
      "an option of a sub-agent's sub-agent",
      { name: "a", model, agents: { b: { agents: { c: { instruction: "x" } } } } },
      "agent a: agents.b.agents.c.instruction is not an option; did you mean instructions?",
    ],
    [
      "a sub-agent's name",
      { name: "a", model, agents: { "b c": {} } },
      "agent a: agents.b c must have a name with only letters, digits, ., - and _",
    ],
    [
      "a sub-agent's model",
      { name: "a", model, agents: { b: { model: "small" } } },
      `agent a: agents.b.model is small${NO_PROVIDER}`,
    ],
    [
      "invalid tools",
      { name: "a", model, tools: [undefined] },
      "agent a: tools must be a list of tools and toolkits, or AI SDK tools by name",
    ],
    [
      "a provider's tool without an id",
      { name: "a", model, providerTools: { search: {} } },
      "agent a: providerTools.search must be a tool from a provider's library, with an id such as openai.web_search",
    ],
  ];
  test.each(mistakes)("%s", (_, options, message) => {
    expect(make(options)).toThrow(TypeError);
    expect(make(options)).toThrow(message);
  });

  test("all mistakes are reported together", () => {
    expect(make({ name: "a", modle: model, stalMs: 1 })).toThrow(
      /^agent a: model must be .*\nagent a: modle is .* model\?\nagent a: stalMs is .* stallMs\?$/,
    );
  });

  test("undefined options are ignored, Infinity means no limit, and a provider interprets its own names", () => {
    expect(make({ name: "a", model, tools: undefined, maxSteps: Infinity, stallMs: Infinity })).not.toThrow();
    expect(make({ name: "a", model: "large", models: ["small"], provider: async () => model })).not.toThrow();
    for (const named of ["demo", "acme/any/thing"])
      expect(make({ name: "a", model: named, models: "any" })).not.toThrow();
  });
});

describe("a mistake in a tool is reported under the tool's name", () => {
  const wrongSchema = "tool x: input must be a zod schema, or a JSON Schema as { jsonSchema: … }";
  const whole = { name: "x", description: "", input, run: () => "" };
  const mistakes: readonly (readonly [string, object, string])[] = [
    ["no input", { ...whole, input: undefined }, wrongSchema],
    ["an empty input", { ...whole, input: {} }, wrongSchema],
    ["a bare JSON Schema", { ...whole, input: { type: "object" } }, wrongSchema],
    [
      "a bad schema",
      { ...whole, input: { jsonSchema: { type: "nonsense" } } },
      "tool x: its JSON Schema cannot be checked: Unsupported type: nonsense",
    ],
    ["no run", { name: "x", description: "", input }, "tool x: run must be a function"],
    ["no name", { ...whole, name: undefined }, "a tool: name must be a string"],
    [
      "a misspelled approval",
      { ...whole, aproval: "always" },
      "tool x: aproval is not an option; did you mean approval?",
    ],
    ["an unknown approval", { ...whole, approval: true }, 'tool x: approval must be "always", "never", or a function'],
  ];
  test.each(mistakes)("%s", (_, tool, message) => {
    expect(make({ name: "a", model, tools: [tool] })).toThrow(TypeError);
    expect(make({ name: "a", model, tools: [tool] })).toThrow(message);
  });

  test("a tool may have additional fields, even ones similar to its own", () => {
    class Counter implements Tool {
      readonly name = "count";
      readonly description = "Counts.";
      readonly input = input;
      runs = 0;
      run = () => (this.runs += 1);
    }
    expect(make({ name: "a", model, tools: [new Counter()] })).not.toThrow();
  });

  test("an invalid tool of a toolkit ends the run with the same message", async () => {
    const tool = { ...defineTool({ name: "late", description: "", input, run: () => "" }), input: {} };
    const kit = { open: () => ({ tools: () => [tool as unknown as Tool] }) };
    const { error } = await drive(agent({ name: "a", model, tools: [kit] }), "go");
    expect((error as Error).message).toMatch(/^tool late: input must be/);
  });
});

test("a function that returns no model refuses the request, with a hint", async () => {
  const choose = (() => "openai/gpt-5") as unknown as AgentOptions["model"];
  const { url } = await serve(agent({ name: "a", model: choose }));
  const response = await post(`${url}/runs`, { message: "go" });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: {
      code: "no-model",
      message: "The agent a has no model for this request.",
      hint: "The function in its option `model` must return a model of the AI SDK's interface.",
    },
  });
});

describe("the facts about an agent", () => {
  const add = defineTool({ name: "add", description: "Adds.", input: z.object({ a: z.number() }), run: ({ a }) => a });

  test("come from its options", () => {
    const { about } = agent({
      description: "Counts.",
      suggestions: ["Count to three"],
      model,
      models: ["openai/gpt-5"],
      modes: { Brief: {} },
      tools: [add],
      providerTools: { web_search: { id: "openai.web_search" } },
    });
    expect(about).toEqual({
      continues: true,
      description: "Counts.",
      suggestions: ["Count to three"],
      model: "demo (scripted)",
      models: ["openai/gpt-5"],
      accepts: ["image/*", "application/pdf"],
      modes: ["Brief"],
      tools: [
        { name: "add", description: "Adds.", schema: expect.objectContaining({ type: "object" }) },
        { name: "web_search" },
      ],
    });
    expect(agentFactsSchema.parse(about)).toEqual(about);
  });

  test("omit what is unknown", () => {
    expect(agent({ model: () => model, models: "any" }).about).toEqual({ continues: true });
    expect(agent({ model: "openai/gpt-5" }).about).toEqual({ continues: true, model: "openai/gpt-5" });
  });

  test("can be added to any source and override its own", async () => {
    const described = describeAgent(agent({ model, description: "Counts." }), { description: "Adds up." });
    expect(described.about).toMatchObject({ model: "demo (scripted)", description: "Adds up." });
    expect((await drive(described, "hello")).events.at(0)).toMatchObject({ type: "run-start" });
  });

  test("include the name it is configured under", async () => {
    const [unnamed] = (await drive(agent({ model }), "hello")).all("run-start");
    expect(unnamed?.name).toBe("test");
    const refused = await drive(agent({ model, modes: { Brief: {} } }), { messages: [user("hi")], mode: "long" });
    expect(String(refused.error)).toContain("The agent test has no mode long");
    const [named] = (await drive(agent({ name: "own", model }), "hello")).all("run-start");
    expect(named?.name).toBe("own");
  });
});
