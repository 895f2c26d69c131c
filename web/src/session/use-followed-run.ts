import { useEffect, useMemo, useSyncExternalStore } from "react";
import { createRuns, type ShownRun } from "../conversations/runs.ts";
import type { Access } from "./access.ts";

/** Any single run, followed while the page is visible (and with `peeks`, now and then while it is hidden). Nothing is stored. */
export const useFollowedRun = (access: Access, run: string, { peeks = false } = {}): ShownRun | undefined => {
  const runs = useMemo(
    () => createRuns({ client: access.client, peeks, entries: async () => [], onEntry: () => {}, onEnd: () => {} }),
    [access, peeks],
  );
  useEffect(() => {
    const look = () => runs.setHidden(document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [runs]);
  useEffect(() => runs.open(run, {}), [runs, run]);
  return useSyncExternalStore(
    (listener) => runs.subscribe(run, listener),
    () => runs.get(run),
  );
};
