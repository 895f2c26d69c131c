import { useCallback, useMemo, useState, useSyncExternalStore } from "react";
import { subscribe } from "runcast/state";
import type { RunState } from "runcast/state";
import { createRunIndex, type RunIndex } from "runcast/view";

/** The indexes of several runs. Renders again when anything in them starts, ends, or changes state, at most once per frame. */
export const useRunIndexes = (runs: readonly RunState[]): readonly RunIndex[] => {
  const [known] = useState(() => new WeakMap<RunState, RunIndex>());
  const indexes = useMemo(
    () =>
      runs.map((run) => {
        const index = known.get(run) ?? createRunIndex(run, subscribe);
        known.set(run, index);
        return index;
      }),
    [runs, known],
  );
  const watch = useCallback(
    (listener: () => void) => {
      let frame = 0;
      const schedule = () => {
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          listener();
        });
      };
      const stops = indexes.map((index) => index.subscribe(schedule));
      return () => {
        cancelAnimationFrame(frame);
        for (const stop of stops) stop();
      };
    },
    [indexes],
  );
  const version = () => indexes.reduce((sum, index) => sum + index.version, 0);
  useSyncExternalStore(watch, version, version);
  return indexes;
};
