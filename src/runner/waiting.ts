import type { Waiting } from "../dialect.ts";
import type { OpenAgent } from "../verify.ts";

/** What a run is waiting for. The user takes precedence, because only the user can act on it. */
export const waitingFor = (root: OpenAgent, isRetrying: boolean): Waiting["waiting"] => {
  const found = { you: false, tool: false, model: false };
  look(root, found);
  if (found.you) return "you";
  if (isRetrying) return "retry";
  if (found.tool) return "tool";
  return found.model ? "model" : "agent";
};

/** The number of runs per waiting state. */
export const statesOf = (runs: Iterable<{ waiting(): Waiting }>): ReadonlyMap<Waiting["waiting"], number> => {
  const states = new Map<Waiting["waiting"], number>();
  for (const run of runs) {
    const { waiting } = run.waiting();
    states.set(waiting, (states.get(waiting) ?? 0) + 1);
  }
  return states;
};

const look = (agent: OpenAgent, found: { you: boolean; tool: boolean; model: boolean }): void => {
  if (agent.asks.size) found.you = true;
  if (agent.step !== undefined) found.model = true;
  for (const call of agent.calls) {
    if (call.asks.size) found.you = true;
    if (call.phase === "executing") found.tool = true;
  }
  for (const child of agent.children) look(child, found);
};
