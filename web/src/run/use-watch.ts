import { useCallback, useSyncExternalStore } from "react";
import { type RunState, subscribe } from "runcast/state";
import { showChanges } from "../kit/show.ts";

type Primitive = string | number | boolean | undefined;

/** Renders again only when what `select` reads from a node has changed. */
export const useWatch = <Value extends Primitive>(state: RunState, id: string, select: () => Value): Value => {
  const watch = useCallback(
    (listener: () => void) => showChanges((onChange) => subscribe(state, id, onChange), listener),
    [state, id],
  );
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
      const subscribeAll = (onChange: () => void) => {
        const stops = ids.map((id) => subscribe(state, id, onChange));
        return () => {
          for (const stop of stops) stop();
        };
      };
      return showChanges(subscribeAll, listener);
    },
    [state, ids],
  );
  return useSyncExternalStore(watch, select, select);
};
