/** The watchers of each run. Waking a run without watchers costs nothing. */
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
      // Iterate over a copy: a watcher may unsubscribe and subscribe again from within its wake.
      if (set.size > 1) for (const watcher of [...set]) call(watcher);
      else for (const watcher of set) return call(watcher);
    },
    /** Wakes all watchers, because wakes may have been lost. */
    wakeAll(): void {
      for (const set of [...watched.values()]) for (const watcher of [...set]) call(watcher);
    },
  };
};

/** Watchers of all runs. */
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
