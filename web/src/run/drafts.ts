/** The user's unsent input for an ask, and the state of sending it. */
export interface Draft {
  /** In the form's own format. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly sending: boolean;
  readonly trouble: string | undefined;
}

/** The drafts of asks, by run and ask. One store can serve a whole page. Drafts are replaced, never mutated. */
export interface Drafts {
  get(ask: string): Draft;
  set(ask: string, change: Partial<Draft>): void;
  subscribe(ask: string, listener: () => void): () => void;
}

const EMPTY: Draft = { fields: {}, sending: false, trouble: undefined };

export const createDrafts = (): Drafts => {
  const drafts = new Map<string, Draft>();
  const listeners = new Map<string, Set<() => void>>();
  return {
    get: (ask) => drafts.get(ask) ?? EMPTY,
    set: (ask, change) => {
      drafts.set(ask, { ...(drafts.get(ask) ?? EMPTY), ...change });
      for (const listener of listeners.get(ask) ?? []) listener();
    },
    subscribe: (ask, listener) => {
      const known = listeners.get(ask) ?? new Set();
      listeners.set(ask, known.add(listener));
      return () => void known.delete(listener);
    },
  };
};
