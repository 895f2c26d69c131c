import { z } from "zod";
import type { AgentFact } from "../dialect.ts";
import { demoAgent, demoStories, demoTools } from "../models/demo.ts";
import type { Source } from "../source.ts";

export interface ConfiguredAgent extends Omit<AgentFact, "name"> {
  readonly source: Source;
}

/** It shows nothing to who brings no tool of their own, as somebody new does not. */
const CLIENT_RUN = "client-run tool";

/** What there is without a configuration. */
export const defaultAgents = (speed: number): Readonly<Record<string, ConfiguredAgent>> => ({
  demo: {
    source: demoAgent({ speed }),
    description: "Plays scripted stories with real tools; needs no key.",
    model: "demo (scripted)",
    suggestions: demoStories.filter(({ name }) => name !== CLIENT_RUN).map(({ message }) => message),
    tools: demoTools().map(({ name, description, input }) => ({
      name,
      description,
      ...(input instanceof z.ZodType && { schema: z.toJSONSchema(input, { io: "input" }) }),
    })),
  },
});
