import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Client, Connection, FollowFrom, RunHandle } from "./client.ts";
import { type Node, type RunState, subscribeByFrame } from "./state.ts";

export { subscribeByFrame } from "./state.ts";

/**
 * Renders again when the node has changed, at most once a frame: a hundred tokens between two frames are one rendering.
 * A node is changed in place, so compare its `version`, never its identity.
 */
export const useNode = <Shown extends Pick<Node, "id" | "version">>(state: RunState, node: Shown): Shown => {
  const { id } = node;
  const watch = useCallback((listener: () => void) => subscribeByFrame(state, id, listener), [state, id]);
  const version = () => node.version;
  useSyncExternalStore(watch, version, version);
  return node;
};

/** Renders again when the run itself has changed: its start, end, usage, data and what the root agent did. */
export const useRun = (state: RunState): RunState => {
  useNode(state, state.root);
  return state;
};

export interface Followed {
  readonly handle: RunHandle | undefined;
  readonly connection: Connection | undefined;
}

/** Follows a run for as long as the component lives. */
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
