import path from "node:path";
import { assistant, type FoundModel, findModels } from "../assistant.ts";
import type { LoadedConfig } from "../config.ts";
import { UsageError } from "./command.ts";

export interface Assisted {
  readonly config: LoadedConfig;
  /** Why the assistant was added, or what would enable it. Undefined if the configuration has its own agents. */
  readonly note?: string;
}

const ASSISTANT = "assistant";

/**
 * Adds an assistant before the demo if the configuration has no agents and a model is available. `wanted` is the model
 * the user asked for. Its key may be missing, because the page asks for it. `demo` means only the demo.
 */
export const withAssistant = async (
  config: LoadedConfig,
  wanted: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<Assisted> => {
  if (config.hasOwnAgents) {
    if (wanted === undefined) return { config };
    throw new UsageError(`--model has no effect on configured agents; set the model in ${path.basename(config.file!)}`);
  }
  const asked = wanted ?? (environment["RUNCAST_MODEL"] || undefined);
  if (asked === "demo") return { config };
  if (asked !== undefined && !/^[^/]+\/.+/.test(asked))
    throw new UsageError(`${asked} is not a model name; use <provider>/<model>, such as openai/gpt-5`);
  const found = await findModels(environment);
  const model: FoundModel | undefined = asked === undefined ? found[0] : { name: asked, reason: "you chose it" };
  if (!model)
    return {
      config,
      note: "none found, so only the demo is available; set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or choose a model with --model and enter its key on the page",
    };
  const others = found.map(({ name }) => name).filter((name) => name !== model.name);
  const workspace = path.join(path.dirname(config.directory), "workspace");
  const agents = { [ASSISTANT]: assistant({ model: model.name, models: others, workspace }), ...config.agents };
  return {
    config: { ...config, agents, defaultAgent: config.defaultAgent ?? ASSISTANT },
    note: `${model.name}, because ${model.reason} (choose another with --model); workspace: ${workspace}`,
  };
};
