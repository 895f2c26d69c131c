import { useCallback, useSyncExternalStore } from "react";
import { ROOT, type RunState, subscribe } from "runcast/state";
import { describeRun } from "runcast/view";
import { showChanges } from "../kit/show.ts";

/** Whether a run is open, succeeded, or ended otherwise. */
export type RunEnd = "open" | "succeeded" | "ended";

/** A missing run counts as open. */
export const useRunEnd = (state: RunState | undefined): RunEnd =>
  useFact(state, () => {
    if (!state) return "open";
    const { isOver, hasSucceeded } = describeRun(state);
    return !isOver ? "open" : hasSucceeded ? "succeeded" : "ended";
  });

export const useHasBegun = (state: RunState | undefined): boolean => useFact(state, () => (state?.seq ?? 0) > 0);

const useFact = <Fact extends string | boolean>(state: RunState | undefined, fact: () => Fact): Fact => {
  const watch = useCallback(
    (listener: () => void) =>
      state ? showChanges((onChange) => subscribe(state, ROOT, onChange), listener) : () => {},
    [state],
  );
  return useSyncExternalStore(watch, fact);
};
