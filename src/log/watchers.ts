/** Who waits for which run. Waking costs nothing for a run that nobody watches. */
export const watchers = () => {
  const watched = new Map<string, Set<Watcher>>();

  return {
    watch(run: string, wake: () => void): () => void {
      const watcher = { wake, watching: true };
      const set = watched.get(run) ?? new Set();
      watched.set(run, set.add(watcher));
      return () => {
        if (!watcher.watching) return;
        watcher.watching = false;
        set.delete(watcher);
        if (set.size === 0 && watched.get(run) === set) watched.delete(run);
      };
    },
    wake(run: string): void {
      const set = watched.get(run);
      if (!set) return;
      // A copy: a watcher may stop watching and watch again from within its wake.
      if (set.size > 1) for (const watcher of [...set]) call(watcher);
      else for (const watcher of set) return call(watcher);
    },
    /** Wakes everybody: wakes may have been lost. */
    wakeAll(): void {
      for (const set of [...watched.values()]) for (const watcher of [...set]) call(watcher);
    },
  };
};

/** Who waits for any run. */
export const watchersOfAll = () => {
  const watched = new Set<Watcher>();

  return {
    watch(wake: (run?: string) => void): () => void {
      const watcher = { wake, watching: true };
      watched.add(watcher);
      return () => {
        watcher.watching = false;
        watched.delete(watcher);
      };
    },
    wake(run?: string): void {
      for (const watcher of [...watched]) call(watcher, run);
    },
  };
};

interface Watcher {
  readonly wake: (run?: string) => void;
  watching: boolean;
}

const call = (watcher: Watcher, run?: string) => {
  try {
    if (watcher.watching) watcher.wake(run);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error), { detail: "thrown by a watcher of a log" });
  }
};
