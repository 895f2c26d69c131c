import { useCallback, useSyncExternalStore } from "react";
import { subscribeByFrame } from "runcast/react";
import type { RunState } from "runcast/state";

type Primitive = string | number | boolean | undefined;

/** Renders again only when what `select` reads from a node has changed. */
export const useWatch = <Value extends Primitive>(state: RunState, id: string, select: () => Value): Value => {
  const watch = useCallback((listener: () => void) => subscribeByFrame(state, id, listener), [state, id]);
  return useSyncExternalStore(watch, select, select);
};

/** Like `useWatch`, for several nodes. `ids` must be the same array while its content is unchanged. */
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
