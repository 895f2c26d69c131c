import { messageOf } from "../message-of.ts";
import { Refusal, type Source } from "../source.ts";

/** One line per problem that keeps an agent from working. Shown at startup rather than in the first run. */
export const unreadyAgents = async (agents: Readonly<Record<string, Source>>): Promise<readonly string[]> => {
  const checked = Object.entries(agents).map(async ([name, { ready }]) => {
    try {
      await ready?.();
      return [];
    } catch (error) {
      if (!(error instanceof Refusal)) return [`${name}: ${messageOf(error)}`];
      const page = error.code === "model-key-missing" ? "The page also asks for it." : "";
      return [[`${name}:`, error.message, error.hint ?? "", page].filter(Boolean).join(" ")];
    }
  });
  return (await Promise.all(checked)).flat();
};
