import { z } from "zod";
import { type Beat, type DemoStory, demo } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { agent } from "../../src/sources/agent.ts";
import { defineTool, type Tool, type ToolContext } from "../../src/tool.ts";
import { randomFrom } from "../random.ts";
import type { Tally } from "./tally.ts";

/** The message for a run with this seed: parallel calls, sub-agents, approvals and questions. */
export const messageOf = (seed: number): string => `chaos ${seed}`;

/** Tools that may run again. All others must not. */
export const REPEATABLE: ReadonlySet<string> = new Set(["lookup", "task"]);

/** An agent whose tools write their start and end to an external file. */
export const chaosAgent = (tally: Tally): Source => {
  const tools = toolsOf(tally);
  const helper = {
    description: "helps",
    instructions: "You are the helper.",
    tools: tools.filter(({ name }) => name === "work" || name === "lookup"),
  };
  return agent({ model: demo({ speed: 20, stories: [root, helping] }), tools, agents: { helper } });
};

const toolsOf = (tally: Tally): Tool[] => {
  const counted = async (tool: string, key: string, { run, call }: ToolContext, act: () => Promise<unknown>) => {
    tally({ do: "begin", run, call, tool, key });
    try {
      return (await act()) ?? key;
    } finally {
      tally({ do: "end", run, call, tool, key });
    }
  };
  const input = z.object({ key: z.string(), ms: z.number() });
  const doing = (name: string, options: Partial<Tool>) =>
    defineTool({
      ...options,
      name,
      description: name,
      input,
      run: ({ key, ms }, context) => counted(name, key, context, () => wait(ms, context.signal)),
    });
  const question = defineTool({
    name: "question",
    description: "asks the user",
    input,
    run: ({ key, ms }, context) =>
      counted("question", key, context, async () => {
        await wait(ms, context.signal);
        return await context.ask({ title: "Which?", options: [{ value: "one" }, { value: "two" }] });
      }),
  });
  return [
    doing("work", {}),
    doing("lookup", { repeatable: true }),
    doing("guarded", { approval: "always" }),
    question,
  ] as Tool[];
};

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new Error("stopped"));
    });
  });

/** Keys are the same if the same request is sent again. */
const callsOf = (seed: string, step: number): Beat[] => {
  const random = randomFrom([...`${seed}/${step}`].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  const call = (name: string, index: number): Beat => ({
    call: name,
    input: { key: `${seed}/${step}/${index}`, ms: 100 + Math.floor(random() * 1200) },
  });
  const among = (...names: string[]) => names[Math.floor(random() * names.length)]!;
  if (step === 0) {
    const calls = Array.from({ length: 2 + Math.floor(random() * 3) }, (_, index) =>
      call(among("work", "work", "lookup"), index),
    );
    const helps = random() < 0.4;
    return [...calls, ...(helps ? [{ call: "task", input: { agent: "helper", task: `help ${seed}-h` } }] : [])];
  }
  if (step === 1) return random() < 0.5 ? [call("guarded", 0), call("work", 1)] : [call("work", 0), call("lookup", 1)];
  return random() < 0.3 ? [call("question", 0)] : [call("lookup", 0)];
};

const seedOf = (message: string): string => message.split(" ")[1]!;

const story = (name: string, isIt: RegExp, steps: number): DemoStory => ({
  name,
  message: "",
  description: "",
  matches: ({ message }) => isIt.test(message),
  steps: [
    ...Array.from({ length: steps }, (_, step) => ({ message }: { readonly message: string }): Beat[] => [
      { say: `Step ${step}. ` },
      ...callsOf(seedOf(message), step),
    ]),
    () => [{ say: "All of it is done now." }],
  ],
});

const root = story("root", /^chaos /, 3);
const helping: DemoStory = {
  ...story("helper", /^help /, 0),
  steps: [
    ({ message }) => [
      { call: "work", input: { key: `${seedOf(message)}/w`, ms: 500 } },
      { call: "lookup", input: { key: `${seedOf(message)}/l`, ms: 300 } },
    ],
    () => [{ say: "Helped." }],
  ],
};
