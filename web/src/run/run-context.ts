import { type ComponentType, createContext, useContext, useEffect } from "react";
import type { AgentNode, CallNode, RunState } from "runcast/state";
import type { RunActions } from "./actions.ts";

export interface RunContextValue {
  readonly state: RunState;
  readonly actions: RunActions;
  /** Renders the items of an agent or a call. In the context because cards contain items, and items contain cards. */
  readonly Items: ComponentType<{ readonly owner: AgentNode | CallNode }>;
  /** Whether to show only the agent's work, because its own text is shown elsewhere. */
  readonly isWorkOnly: boolean;
  /** Functions that expand what hides a node, by the id of what hides it. */
  readonly openers: Map<string, (node: string) => void>;
}

/** Contains nothing that changes while a run streams, so tokens do not re-render its consumers. */
export const RunContext = createContext<RunContextValue | undefined>(undefined);

export const useRunContext = (): RunContextValue => {
  const value = useContext(RunContext);
  if (!value) throw new Error("this can only be shown inside a run");
  return value;
};

/** The displayed moment in milliseconds since 1970. Undefined for the present. */
export const Moment = createContext<number | undefined>(undefined);

/**
 * The time until which the display is known to be current, by this device's clock: `Infinity` while live, 0 if it never
 * was. Clocks stop there.
 */
export const LiveUntil = createContext(Infinity);

/** Lets a jump expand this component. */
export const useOpener = (id: string, open: (node: string) => void): void => {
  const { openers } = useRunContext();
  useEffect(() => {
    openers.set(id, open);
    return () => {
      if (openers.get(id) === open) openers.delete(id);
    };
  });
};
