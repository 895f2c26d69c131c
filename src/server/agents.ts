import type { RunnableAgent } from "../runner.ts";
import { Refusal } from "../source.ts";
import type { ServerOptions } from "./options.ts";

/** The agent that a request names, or the default. Throws a Refusal if it does not exist. */
export const agentOf = (
  { agents, defaultAgent }: Pick<ServerOptions, "agents" | "defaultAgent">,
  wanted: string | undefined,
): RunnableAgent => {
  const name = wanted ?? defaultAgent ?? Object.keys(agents)[0] ?? "";
  const source = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (source) return { name, source };
  throw new Refusal("unknown-agent", `there is no agent ${name.slice(0, 100)}`, {
    status: 404,
    hint: `available agents: ${Object.keys(agents).join(", ") || "none"}`,
  });
};
