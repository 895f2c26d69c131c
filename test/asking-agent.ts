import { z } from "zod";
import type { Source } from "../src/source.ts";
import { agent } from "../src/sources/agent.ts";
import { defineTool } from "../src/tool.ts";
import { playing, script } from "./drive.ts";

/** An agent that calls these tools one after another. Each asks first. */
export const askingAgent = (message: string, ...calls: string[]): Source => {
  const steps = calls.map((call) => [{ call, input: {} }]);
  const { model } = playing(script(message, ...steps, [{ say: "Done." }]));
  const tools = [...new Set(calls)].map((name) =>
    defineTool({ name, description: "", input: z.object({}), approval: "always", run: () => `${name} ran` }),
  );
  return agent({ name: "test", model, tools });
};
