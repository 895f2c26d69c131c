import { type ComponentType, createContext, useContext, useEffect } from "react";
import type { AgentNode, CallNode, RunState } from "runcast/state";
import type { RunActions } from "./actions.ts";

export interface RunContextValue {
  readonly state: RunState;
  readonly actions: RunActions;
  /** Draws what an agent did or a call brought: cards hold items, and items are cards. */
  readonly Items: ComponentType<{ readonly owner: AgentNode | CallNode }>;
  /** The agent's own words stand elsewhere: only its work is shown. */
  readonly isWorkOnly: boolean;
  /** How to open what hides a node, by what hides it. */
  readonly openers: Map<string, (node: string) => void>;
}

/** Holds nothing that changes while a run streams: a token must not reach whoever only reads this. */
export const RunContext = createContext<RunContextValue | undefined>(undefined);

export const useRunContext = (): RunContextValue => {
  const value = useContext(RunContext);
  if (!value) throw new Error("this can only be shown inside a run");
  return value;
};

/** The moment that is shown, in milliseconds since 1970; undefined: the present. */
export const Moment = createContext<number | undefined>(undefined);

/**
 * Until when what is shown is known to be the present, by this device's clock: `Infinity` while it is live, 0 if it never
 * was. No clock runs on after it.
 */
export const LiveUntil = createContext(Infinity);

/** Lets a jump open what this component folds. */
export const useOpener = (id: string, open: (node: string) => void): void => {
  const { openers } = useRunContext();
  useEffect(() => {
    openers.set(id, open);
    return () => {
      if (openers.get(id) === open) openers.delete(id);
    };
  });
};
