import { useCallback, useSyncExternalStore } from "react";
import type { RunOutcome } from "runcast/events";
import { subscribeByFrame } from "runcast/react";
import { ROOT, type RunState } from "runcast/state";

/** How a run ended; undefined while it goes on, and where there is none. */
export const useOutcome = (state: RunState | undefined): RunOutcome | undefined => useFact(state, () => state?.outcome);

export const useHasBegun = (state: RunState | undefined): boolean => useFact(state, () => (state?.seq ?? 0) > 0);

const useFact = <Fact extends string | boolean | undefined>(state: RunState | undefined, fact: () => Fact): Fact => {
  const watch = useCallback(
    (listener: () => void) => (state ? subscribeByFrame(state, ROOT, listener) : () => {}),
    [state],
  );
  return useSyncExternalStore(watch, fact);
};
