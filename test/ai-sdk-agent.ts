import { readUIMessageStream, stepCountIs, tool, ToolLoopAgent, toUIMessageStream } from "ai";
import { z } from "zod";
import { type DemoStory, demo } from "../src/models/demo.ts";
import { script } from "./drive.ts";

const input = z.object({ city: z.string() });

/** What a sub-agent writes. */
export const LONG = "A sub-agent writes a lot. ".repeat(100);

const stories: readonly DemoStory[] = [
  script("hello", [{ say: "Hello there." }]),
  script("think", [{ think: "Let me see." }, { say: "I thought." }]),
  script(
    "tools",
    [
      { say: "Looking." },
      { call: "weather", input: { city: "Paris" }, id: "w" },
      { call: "clock", input: { city: "Paris" }, id: "c" },
    ],
    [{ say: "Sunny at noon." }],
  ),
  script("fail", [{ call: "broken", input: { city: "Paris" }, id: "b" }], [{ say: "It is broken." }]),
  script("bad", [{ call: "weather", input: { city: 12 }, id: "w" }], [{ say: "That was wrong." }]),
  script("mail", [{ call: "mail", input: { city: "Paris" }, id: "m" }], [{ say: "Done." }]),
  script(
    "mails",
    [
      { call: "mail", input: { city: "Paris" }, id: "m1" },
      { call: "mail", input: { city: "Rome" }, id: "m2" },
      { call: "clock", input: { city: "Rome" }, id: "c" },
    ],
    [{ say: "Done." }],
  ),
  script("map", [{ say: "Yours." }, { call: "map", input: { city: "Paris" }, id: "p" }]),
  script(
    "again",
    [{ call: "clock", input: { city: "Paris" }, id: "same" }],
    [{ call: "clock", input: { city: "Rome" }, id: "same" }],
    [{ say: "Noon in both." }],
  ),
  script(
    "helpers",
    [
      { call: "helper", input: { city: "Paris" }, id: "h1" },
      { call: "helper", input: { city: "Rome" }, id: "h2" },
    ],
    [{ say: "Both are back." }],
  ),
  script("research", [{ say: LONG }]),
  script("slow", [{ call: "slow", input: { city: "Paris" }, id: "s" }], [{ say: "Done." }]),
  script("error", [{ fail: { status: 400, message: "the model is out of order" } }]),
];

/** A real agent of the AI SDK with a scripted model. */
export const scriptedAgent = () => {
  const sent: string[] = [];
  const slow = { begun: Promise.withResolvers<void>(), stopped: Promise.withResolvers<void>() };
  const model = demo({ speed: Infinity, stories });
  const researcher = new ToolLoopAgent({ model, tools: {} });
  const agent = new ToolLoopAgent({
    model,
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    tools: {
      weather: tool({
        description: "the weather",
        inputSchema: input,
        execute: async function* ({ city }) {
          yield { state: "asking" };
          yield { state: "done", text: `sunny in ${city}` };
        },
      }),
      clock: tool({ inputSchema: input, execute: ({ city }) => `noon in ${city}` }),
      broken: tool({
        inputSchema: input,
        execute: (): string => {
          throw new Error("the service is down");
        },
      }),
      mail: tool({
        inputSchema: input,
        needsApproval: true,
        execute: ({ city }) => {
          sent.push(city);
          return `sent to ${city}`;
        },
      }),
      // A sub-agent, as the SDK documents it.
      helper: tool({
        inputSchema: input,
        execute: async function* (_, { abortSignal }) {
          const result = await researcher.stream({ prompt: "research", abortSignal });
          yield* readUIMessageStream({ stream: toUIMessageStream({ stream: result.stream }) });
        },
      }),
      map: tool({ inputSchema: input }),
      slow: tool({
        inputSchema: input,
        execute: (_, { abortSignal }) =>
          new Promise((_resolve, reject) => {
            slow.begun.resolve();
            abortSignal?.addEventListener("abort", () => {
              slow.stopped.resolve();
              reject(new Error("stopped"));
            });
          }),
      }),
    },
  });
  return { agent, sent, begun: slow.begun.promise, stopped: slow.stopped.promise };
};
