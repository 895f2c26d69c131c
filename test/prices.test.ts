import http from "node:http";
import { describe, expect, test } from "vitest";
import { checkConfig } from "../src/config.ts";
import { native } from "../src/dialects/native.ts";
import { type Entry, type Event, type EventOf, usageSchema } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { provider } from "../src/models/provider.ts";
import { priced } from "../src/prices.ts";
import { agent } from "../src/sources/agent.ts";
import { http as remoteAgent } from "../src/sources/http.ts";
import { type AgentNode, addUsage, createState, fold } from "../src/state.ts";
import type { Source } from "../src/source.ts";
import { describeAgent, describeRun, usageText } from "../src/view.ts";
import { costText } from "../src/view/amounts.ts";
import { mockProvider } from "./mock-provider.ts";
import { recordings } from "./recordings/providers.ts";
import { play, setUp, untilEnd } from "./running.ts";
import { eventsOf, framesOf, onStop, post, serve } from "./serving.ts";

const prices = { "acme/big": { input: 2, output: 10, cachedInput: 0.5 }, small: { input: 0.1, output: 0.4 } };
const step = (id: string, usage: EventOf<"step-end">["usage"], more: { agent?: string; model?: string } = {}) => {
  const { model, ...place } = more;
  return [
    { type: "step-start", step: id, ...place, ...(model && { model }) },
    { type: "step-end", step: id, finish: "stop", usage, ...place },
  ] as Event[];
};
const from = (...events: readonly Event[]): Source =>
  async function* () {
    yield* events;
  };
const endOf = (events: readonly Event[]) => events.at(-1) as EventOf<"run-end">;
const stepCosts = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "step-end" ? [event.usage?.cost] : []));

describe("a price", () => {
  test("applies to input, cached input and output, exact to a billionth of a dollar", () => {
    const usage = { input: 1000, output: 100, cached: 400, reasoning: 50 };
    expect(priced(usage, prices, "acme/big")).toEqual({ ...usage, cost: 0.0024 });
    expect(priced(usage, prices, "small").cost).toBe(0.00014);
    expect(priced({ input: 1, output: 0 }, prices, "small").cost).toBe(0.0000001);
    expect(priced({ output: 3 }, prices, "small").cost).toBe(0.0000012);
    // Some providers count more cached input than input.
    expect(priced({ input: 10, cached: 1000 }, prices, "acme/big").cost).toBe(0.000005);
  });

  test("is found by the first name that has one, and otherwise adds nothing", () => {
    const usage = { input: 10 };
    expect(priced(usage, prices, undefined, "unknown", "small", "acme/big").cost).toBe(0.000001);
    for (const name of ["unknown", "Small", "constructor", "__proto__", undefined])
      expect(priced(usage, prices, name)).toBe(usage);
    expect(priced(usage, undefined, "small")).toBe(usage);
    expect(priced({}, prices, "small")).toEqual({});
  });

  test("never replaces a cost that was reported", () => {
    expect(priced({ input: 10, cost: 7 }, prices, "small").cost).toBe(7);
    expect(priced({ input: 10, cost: 0 }, prices, "small").cost).toBe(0);
  });
});

test("costs are added up, and no sum of claims exceeds what usage can have", () => {
  const sum = addUsage(addUsage({}, { input: 1, cost: 0.25 }), { output: 2, cost: 0.5 });
  expect(sum).toEqual({ input: 1, output: 2, cost: 0.75 });
  expect(addUsage(sum, { input: 1 })).toEqual({ input: 2, output: 2, cost: 0.75 });
  expect(addUsage({ input: 1 }, { input: 1 })).not.toHaveProperty("cost");
  expect(usageSchema.safeParse(addUsage({ cost: 1e9 }, { cost: 1e9 })).success).toBe(true);
  for (const cost of [-1, NaN, Infinity, 1e10, "1"]) expect(usageSchema.safeParse({ cost }).success).toBe(false);
});

test("an amount below a dollar has two significant digits", () => {
  expect([0, 0.0004, 0.000421, 0.00000012, 0.0123, 0.129, 0.5, 1, 1204.5].map(costText)).toEqual([
    "$0.00", "$0.0004", "$0.00042", "$0.00000012", "$0.012", "$0.13", "$0.50", "$1.00", "$1,204.50",
  ]); // prettier-ignore
  expect([0.999, 0.0999, 0.00996].map(costText)).toEqual(["$1.00", "$0.10", "$0.01"]);
  expect(usageText({ input: 1204, output: 332, cost: 0.0042 })).toBe("1,204 tokens in, 332 out, $0.0042");
  expect(usageText({ cost: 0.5 })).toBe("$0.50");
});

describe("a run", () => {
  const nested: readonly Event[] = [
    { type: "run-start", protocol: 2, run: "x", name: "test", model: "acme/big" },
    ...step("one", { input: 1000, output: 100 }),
    { type: "agent-start", agent: "a", name: "helper", model: "small" },
    ...step("two", { input: 1000, output: 100 }, { agent: "a" }),
    ...step("three", { input: 1000 }, { agent: "a", model: "free" }),
    { type: "agent-end", agent: "a", outcome: "done", usage: { input: 2000, output: 100 } },
  ];

  test("costs what its steps cost, by the model of the step, of its agent, or of the run", async () => {
    const { events } = await play(from(...nested), { prices });
    expect(stepCosts(events)).toEqual([0.003, 0.00014, undefined]);
    expect(endOf(events).usage).toEqual({ input: 3000, output: 200, cost: 0.00314 });
    const state = createState();
    events.forEach((event, index) => fold(state, { seq: index + 1, at: 1, event }));
    expect(describeRun(state).usage).toBe("3,000 tokens in, 200 out, $0.0031");
    expect(describeAgent(state.nodes.get("a") as AgentNode).usage).toBe("2,000 tokens in, 100 out, $0.00014");
  });

  test("has no cost without prices", async () => {
    const { events } = await play(from(...nested));
    expect(JSON.stringify(events)).not.toContain("cost");
  });

  test("keeps what its source reports: for a step, and for the whole", async () => {
    const start = nested[0]!;
    const own = await play(from(start, ...step("one", { input: 1000, cost: 5 }), ...step("two", { input: 1000 })), {
      prices,
    });
    expect([stepCosts(own.events), endOf(own.events).usage]).toEqual([[5, 0.002], { input: 2000, cost: 5.002 }]);
    const whole = from(start, ...step("one", { input: 1000 }), {
      type: "run-end",
      outcome: "done",
      usage: { input: 1000, cost: 9 },
    });
    expect(endOf((await play(whole, { prices })).events).usage?.cost).toBe(9);
  });

  test("that reports only a total has the cost of its total, and one with steps has the cost of its steps", async () => {
    const end: Event = { type: "run-end", outcome: "done", usage: { input: 1000, output: 100 } };
    expect(endOf((await play(from(nested[0]!, end), { prices })).events).usage?.cost).toBe(0.003);
    const both = await play(from(nested[0]!, ...step("one", { input: 500 }), end), { prices });
    expect(endOf(both.events).usage).toEqual({ input: 1000, output: 100, cost: 0.001 });
  });

  test("whose source claims an impossible cost ends with an error", async () => {
    for (const cost of [-1, NaN, 1e12]) {
      const { events } = await play(from(...step("one", { input: 1, cost })), { prices });
      expect(endOf(events)).toMatchObject({ outcome: "error", error: { code: "invalid-event" } });
      expect(JSON.stringify(events)).not.toContain('"cost"');
    }
    const { events } = await play(from(...step("one", { cost: 1e9 }), ...step("two", { cost: 1e9 })));
    expect(endOf(events)).toMatchObject({ outcome: "done", usage: { cost: 1e9 } });
  });

  test("that another process continues keeps the costs of its first steps, whatever the prices are there", async () => {
    const log = memory();
    const past: readonly Event[] = [
      { type: "run-start", protocol: 2, run: "r", name: "test", model: "small" },
      { type: "step-start", step: "one" },
      { type: "step-end", step: "one", finish: "stop", usage: { input: 1000, cost: 0.0001 } },
    ];
    await log.append(
      "r",
      past.map((event, index): Entry => ({ seq: index + 1, at: 1, event })),
    );
    const source = Object.assign(from(), { resume: from(...step("two", { input: 1000 })) });
    const { runner } = setUp({
      log,
      prices: { small: { input: 7, output: 7 } },
      findAgent: () => ({ name: "test", source }),
    });
    expect(await runner.recover()).toBe(1);
    const events = await untilEnd(log, "r");
    expect(stepCosts(events)).toEqual([0.0001, 0.007]);
    expect(endOf(events).usage).toEqual({ input: 2000, cost: 0.0071 });
  });
});

describe("over HTTP", () => {
  /** The events of a run of this model, which a mock provider answers. */
  const answered = async (model: string, models: ReturnType<typeof provider>, priceList: object) => {
    const { prices: checked } = checkConfig({ prices: priceList }, "test");
    const { url } = await serve(agent({ model, provider: models }), { runner: { prices: checked! } });
    return eventsOf(await framesOf(await post(`${url}/runs`, { message: "hi" })));
  };

  test.each([
    ["openai/m", "openai"],
    ["anthropic/m", "anthropic"],
    ["acme/m", "openai-compatible"],
    ["openai-chat/m", "openai-chat"],
  ])("the price of %s is found by the name in the configuration", async (model, format) => {
    const { url } = await mockProvider(format);
    const endpoint = { apiKey: "k", baseUrl: `${url}/v1` };
    const models = provider({ openai: endpoint, anthropic: endpoint, compatible: { acme: endpoint } });
    const events = await answered(model, models, { [model]: { input: 1, output: 10 }, m: { input: 9, output: 9 } });
    expect(endOf(events).usage).toMatchObject({ input: 5, output: 7, cost: 0.000075 });
  });

  test("the cost that a provider reports is kept, unless it is impossible", async () => {
    const reports = async (cost: unknown) => {
      const text = recordings["openrouter"]!.answers.text!.replace(
        '"total_tokens":12',
        `"total_tokens":12,"cost":${JSON.stringify(cost)}`,
      );
      expect(text).toContain('"cost"');
      const server = http.createServer((_, response) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(text),
      );
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onStop(() => server.close());
      const { port } = server.address() as { port: number };
      const endpoint = { apiKey: "k", baseUrl: `http://127.0.0.1:${port}/v1` };
      const models = provider({ compatible: { openrouter: endpoint } });
      return endOf(await answered("openrouter/a/m", models, { "openrouter/a/m": { input: 1, output: 10 } })).usage
        ?.cost;
    };
    expect(await reports(0.0123)).toBe(0.0123);
    for (const wrong of [-1, 1e300, "0.5", { total: 1 }, null]) expect(await reports(wrong)).toBe(0.000075);
  });

  test("the cost that a remote agent reports is kept, whatever the prices are here", async () => {
    const start: Event = { type: "run-start", protocol: 2, run: "x", name: "test", model: "acme/big" };
    const remote = await serve(from(start, ...step("one", { input: 1000, output: 100 })), { runner: { prices } });
    const own = { "acme/big": { input: 7, output: 7 } };
    const { url } = await serve(remoteAgent({ dialect: native, url: remote.url }), { runner: { prices: own } });
    const events = eventsOf(await framesOf(await post(`${url}/runs`, { message: "hi" })));
    expect([stepCosts(events), endOf(events).usage?.cost]).toEqual([[0.003], 0.003]);
  });
});
