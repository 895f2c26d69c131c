import { z } from "zod";
import type { Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { demo } from "../src/models/demo.ts";
import type { RunnableAgent, RunnerOptions } from "../src/runner.ts";
import type { Source } from "../src/source.ts";
import { agent as createAgent } from "../src/sources/agent.ts";
import { defineTool } from "../src/tool.ts";
import { setUp } from "./running.ts";

const LEASE_MS = 10_000;
export const isExecuting = ({ type }: Event) => type === "tool-execute";

/** Several processes on one log, whose clock only moves when the test moves it. */
export const cluster = () => {
  let now = 0;
  const log = memory({ now: () => now });
  return {
    log,
    join: (options: Partial<RunnerOptions> = {}) =>
      setUp({ controlMs: 5000, ...options, log: options.log ?? log }).runner,
    expire: () => (now += LEASE_MS + 1),
  };
};

export const named = (source: Source): RunnableAgent => ({ name: "test", source });

export const asking: readonly Event[] = [
  { type: "step-start", step: "s" },
  { type: "tool-start", call: "c", name: "t" },
  { type: "tool-input-end", call: "c", input: {} },
  { type: "step-end", step: "s", finish: "tools" },
  { type: "ask-start", ask: "a", kind: "approval", call: "c" },
];

/** An agent that calls one tool once. */
export const scripted = (act: (run: string) => Promise<void>, repeatable = false): Source => {
  const story = {
    name: "acts",
    message: "hi",
    description: "",
    matches: () => true,
    steps: [() => [{ call: "act", input: {} }], () => [{ say: "Done." }]],
  };
  const tool = defineTool({
    name: "act",
    description: "",
    input: z.object({}),
    repeatable,
    run: async (_, { run }) => act(run),
  });
  return createAgent({ name: "test", model: demo({ speed: Infinity, stories: [story] }), tools: [tool] });
};
