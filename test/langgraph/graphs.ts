import { setTimeout as sleep } from "node:timers/promises";
import { ChatAnthropic } from "@langchain/anthropic";
import { MemorySaver, interrupt } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { createAgent, humanInTheLoopMiddleware, tool } from "langchain";
import { z } from "zod";

const city = z.object({ city: z.string() });

const getWeather = tool(
  async (input: { city: string }) => {
    await sleep(300);
    return `sunny in ${input.city}`;
  },
  { name: "get_weather", description: "The weather in a city.", schema: city },
);
const getTime = tool(
  async (input: { city: string }) => {
    await sleep(100);
    return `12:00 in ${input.city}`;
  },
  { name: "get_time", description: "The time in a city.", schema: city },
);
const lookupOrder = tool(
  async () => {
    await Promise.resolve();
    throw new Error("order system is down");
  },
  { name: "lookup_order", description: "Looks up an order.", schema: z.object({ order_id: z.string() }) },
);
const slowTool = tool(
  async ({ seconds }, config) => {
    await sleep(seconds * 1000, undefined, { signal: config.signal! });
    return "waited";
  },
  { name: "slow_tool", description: "Takes its time.", schema: z.object({ seconds: z.number() }) },
);
const sendMail = tool(({ to }) => `sent to ${to}`, {
  name: "send_mail",
  description: "Sends a mail.",
  schema: z.object({ to: z.string(), subject: z.string() }),
});
const bookTable = tool(
  ({ people }) => {
    const day: string = interrupt({ question: "Which day?", options: ["Monday", "Tuesday"] });
    return `table for ${people} on ${day}`;
  },
  { name: "book_table", description: "Books a table.", schema: z.object({ people: z.number() }) },
);
// Without a function, the client runs it.
const showMap = tool({ name: "show_map", description: "Shows a map in the user's browser.", schema: city });

/** Graphs in this process, with a scripted model at `modelUrl`. */
export const graphs = (modelUrl: string) => {
  const model = new ChatAnthropic({
    model: "claude-sonnet-4-6",
    anthropicApiUrl: modelUrl,
    apiKey: "none",
    maxTokens: 4096,
    maxRetries: 0,
    streaming: true,
    thinking: { type: "enabled", budget_tokens: 1024 },
  });
  const tools = [getWeather, getTime, lookupOrder, slowTool, sendMail, bookTable, showMap];
  const solo = createAgent({
    model,
    tools,
    checkpointer: new MemorySaver(),
    middleware: [
      humanInTheLoopMiddleware({ interruptOn: { send_mail: { allowedDecisions: ["approve", "edit", "reject"] } } }),
    ],
  });
  const deep = createDeepAgent({
    model,
    tools,
    checkpointer: new MemorySaver(),
    interruptOn: { send_mail: true },
    subagents: [
      {
        name: "researcher",
        description: "looks things up",
        systemPrompt: "You look things up.",
        tools: [getWeather, getTime, sendMail],
        interruptOn: { send_mail: true },
      },
      { name: "writer", description: "writes", systemPrompt: "You write.", tools: [] },
    ],
  });
  return { solo, deep };
};
