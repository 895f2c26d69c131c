import { useCallback, useSyncExternalStore } from "react";
import type { RunOutcome } from "runcast/events";
import { subscribeByFrame } from "runcast/react";
import { ROOT, type RunState } from "runcast/state";

/** How a run ended; undefined while it goes on, and where there is none. */
export const useOutcome = (state: RunState | undefined): RunOutcome | undefined => {
  const watch = useCallback(
    (listener: () => void) => (state ? subscribeByFrame(state, ROOT, listener) : () => {}),
    [state],
  );
  return useSyncExternalStore(watch, () => state?.outcome);
};
