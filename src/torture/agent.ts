import { z } from "zod";
import { provider } from "../models/provider.ts";
import type { Source } from "../source.ts";
import { agent } from "../sources/agent.ts";
import { defineTool, type ToolContext } from "../tool.ts";

const input = z.object({ key: z.string() });

/** The agent that the trials run on Runcast: the kit's model, and tools that the kit controls. `url` defaults to TORTURE_URL. */
export const tortureAgent = (url = process.env["TORTURE_URL"] ?? ""): Source => {
  if (url === "") throw new Error("TORTURE_URL is not set; `runcast torture --command` sets it");
  const run =
    (name: string) =>
    async (asked: z.infer<typeof input>, { signal }: ToolContext) => {
      const response = await fetch(`${url}/tools/${name}`, { method: "POST", body: JSON.stringify(asked), signal });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text;
    };
  const lookup = defineTool({
    name: "lookup",
    description: "Looks something up.",
    input,
    repeatable: true,
    run: run("lookup"),
  });
  return agent({
    model: "torture/scripted",
    provider: provider({ compatible: { torture: { baseUrl: `${url}/v1` } } }),
    // Trials expect the model's text unchanged.
    thinkTags: false,
    tools: [
      lookup,
      defineTool({ name: "fail", description: "Fails.", input, run: run("fail") }),
      defineTool({ name: "send", description: "Sends something.", input, approval: "always", run: run("send") }),
      defineTool({
        name: "delegate",
        description: "Gives the task to a helper.",
        input,
        run: async ({ key }, context) => (await context.agent({ agent: "helper", task: key })).text,
      }),
    ],
    agents: { helper: { description: "Helps.", tools: [lookup] } },
  });
};
