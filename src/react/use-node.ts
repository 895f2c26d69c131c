import { useCallback, useSyncExternalStore } from "react";
import { type Node, type RunState, subscribeByFrame } from "../state.ts";

/**
 * Renders again when the node changes, at most once per frame, however many tokens arrive between two frames. Nodes
 * change in place, so compare `version`, never identity.
 */
export const useNode = <Shown extends Pick<Node, "id" | "version">>(state: RunState, node: Shown): Shown => {
  const { id } = node;
  const watch = useCallback((listener: () => void) => subscribeByFrame(state, id, listener), [state, id]);
  const version = () => node.version;
  useSyncExternalStore(watch, version, version);
  return node;
};
