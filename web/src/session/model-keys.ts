import { parseJson } from "runcast/json";
import type { MissingKey, NamedAgent } from "runcast/source";
import { type Cell, createCell } from "../kit/cell.ts";

export interface ModelKey {
  readonly agent: string;
  /** The server's name for it, and the secret's. */
  readonly variable: string;
  readonly key: string;
}

/**
 * Keys of models that the server does not have, or that a provider rejected. They are stored in the tab, never on the
 * device or with a conversation, and sent as secrets with runs of the agents that they were entered for.
 */
export interface ModelKeys extends Cell<readonly ModelKey[]> {
  /** Replaces the key of these agents. */
  keep(agents: readonly string[], variable: string, key: string): void;
  /** Removes the key of all agents. */
  forget(variable: string): void;
  secretsOf(agent: string | undefined): Readonly<Record<string, string>>;
}

const NAME = "runcast.model-keys";

export const createModelKeys = (): ModelKeys => {
  const cell = createCell(parseKeys(parseJson(sessionStorage.getItem(NAME) ?? "")));
  const set = (keys: readonly ModelKey[]): void => {
    cell.set(keys);
    try {
      if (keys.length > 0) sessionStorage.setItem(NAME, JSON.stringify(keys));
      else sessionStorage.removeItem(NAME);
    } catch {
      // The browser cannot store them, so they last until the page is reloaded.
    }
  };
  return {
    ...cell,
    set,
    keep: (agents, variable, key) =>
      set([
        ...cell.get().filter((kept) => kept.variable !== variable || !agents.includes(kept.agent)),
        ...agents.map((agent) => ({ agent, variable, key })),
      ]),
    forget: (variable) => set(cell.get().filter((kept) => kept.variable !== variable)),
    secretsOf: (agent) =>
      Object.fromEntries(
        cell
          .get()
          .filter((kept) => kept.agent === agent)
          .map(({ variable, key }) => [variable, key]),
      ),
  };
};

/** Uses the valid parts of the stored value. */
export const parseKeys = (kept: unknown): readonly ModelKey[] => (Array.isArray(kept) ? kept.filter(isKey) : []);

const isKey = (value: unknown): value is ModelKey => {
  if (typeof value !== "object" || value === null) return false;
  const { agent, variable, key } = value as Record<string, unknown>;
  return typeof agent === "string" && typeof variable === "string" && typeof key === "string";
};

/** The keys that a run of this agent with this model needs, and that neither the server nor this tab has. */
export const neededKeys = (
  agent: NamedAgent,
  model: string | undefined,
  kept: readonly ModelKey[],
): readonly MissingKey[] => {
  const used = model !== undefined && agent.models?.includes(model) ? model : agent.model;
  return (agent.missingKeys ?? []).filter(
    ({ variable, model: needs, subagent }) =>
      (subagent !== undefined || needs === used) &&
      !kept.some((one) => one.agent === agent.name && one.variable === variable),
  );
};

/** The agents that lack this key. */
export const agentsWithout = (agents: readonly NamedAgent[], variable: string): readonly string[] =>
  agents.flatMap(({ name, missingKeys = [] }) =>
    missingKeys.some((missing) => missing.variable === variable) ? [name] : [],
  );
