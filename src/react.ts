import { useEffect, useState } from "react";
import type { Client, Connection, FollowFrom, RunHandle } from "./client.ts";
import { useNode } from "./react/use-node.ts";
import type { RunState } from "./state.ts";

export { CardsProvider, ToolCard } from "./react/cards.ts";
export type { Card, CardKit, CardModule, CardProps, Cards, CardsProviderProps, ToolCardProps } from "./react/cards.ts";
export { useNode } from "./react/use-node.ts";
export { subscribeByFrame } from "./state.ts";

/** Renders again when the run itself changes: its start, end, usage, data, and the root agent's items. */
export const useRun = (state: RunState): RunState => {
  useNode(state, state.root);
  return state;
};

export interface Followed {
  readonly handle: RunHandle | undefined;
  readonly connection: Connection | undefined;
}

/** Follows a run while the component is mounted. */
export const useFollow = (client: Client, run: string | undefined, from?: FollowFrom): Followed => {
  const [followed, setFollowed] = useState<Followed>({ handle: undefined, connection: undefined });
  const { after, from: start } = from ?? {};
  useEffect(() => {
    if (run === undefined) return;
    const handle = client.follow(run, { ...(after !== undefined && { after }), ...(start && { from: start }) });
    setFollowed({ handle, connection: handle.connection });
    const stop = handle.subscribe((connection) => setFollowed({ handle, connection }));
    return () => {
      stop();
      handle.close();
    };
  }, [client, run, after, start]);
  return followed;
};
