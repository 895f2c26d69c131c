import { useMemo } from "react";
import type { RunState } from "runcast/state";
import { useRunIndexes } from "./use-run-indexes.ts";

/** Renders again when an ask of a run opens or closes, at any depth. */
export const useOpenAsks = (state: RunState): void => {
  useRunIndexes(useMemo(() => [state], [state]));
};
