import { useCallback, useSyncExternalStore } from "react";
import { subscribeByFrame } from "runcast/react";
import type { RunState } from "runcast/state";

type Primitive = string | number | boolean | undefined;

/** Renders again only when what `select` reads of a node has changed. */
export const useWatch = <Value extends Primitive>(state: RunState, id: string, select: () => Value): Value => {
  const watch = useCallback((listener: () => void) => subscribeByFrame(state, id, listener), [state, id]);
  return useSyncExternalStore(watch, select, select);
};

/** As `useWatch`, of several nodes. `ids` must be the same array as long as it holds the same. */
export const useWatchAll = <Value extends Primitive>(
  state: RunState,
  ids: readonly string[],
  select: () => Value,
): Value => {
  const watch = useCallback(
    (listener: () => void) => {
      const stops = ids.map((id) => subscribeByFrame(state, id, listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    [state, ids],
  );
  return useSyncExternalStore(watch, select, select);
};
