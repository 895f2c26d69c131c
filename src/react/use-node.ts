import { useCallback, useSyncExternalStore } from "react";
import { type Node, type RunState, subscribeByFrame } from "../state.ts";

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
