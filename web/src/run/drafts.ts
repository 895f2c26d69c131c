/** What a person has entered into an ask but not sent, and what became of sending it. */
export interface Draft {
  /** As the form keeps it. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly sending: boolean;
  readonly trouble: string | undefined;
}

/** The drafts of asks, by run and ask: one store can serve a whole page. A draft is replaced, never changed. */
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
