import { useMemo } from "react";
import type { AskNode, RunState } from "runcast/state";
import { openAsks } from "runcast/view";
import { useRunIndexes } from "./use-run-indexes.ts";

/** The open asks of a run, at any depth. Renders again when one opens or closes. */
export const useOpenAsks = (state: RunState): readonly AskNode[] => {
  useRunIndexes(useMemo(() => [state], [state]));
  return [...openAsks(state)];
};
