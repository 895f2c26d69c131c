import type { Conversation } from "./conversation.ts";

/** The conversations that are open on the page. */
export interface Opened {
  /** Returns a function that closes it. `load` is called if it was not open. */
  open(id: string, load: () => void): () => void;
  ids(): readonly string[];
  /** `null` if it does not exist. Undefined while it is loading, and if it is not open. */
  get(id: string): Conversation | null | undefined;
  /** Sets what `get` returns, if the conversation is open. */
  hold(id: string, conversation: Conversation | undefined): void;
  subscribe(id: string, listener: () => void): () => void;
}

export const createOpened = (): Opened => {
  const opened = new Map<string, { users: number; conversation: Conversation | null | undefined }>();
  const listenersOf = new Map<string, Set<() => void>>();
  return {
    open: (id, load) => {
      const found = opened.get(id) ?? { users: 0, conversation: undefined };
      opened.set(id, found);
      if (found.users++ === 0) load();
      return () => {
        if (--found.users === 0) opened.delete(id);
      };
    },
    ids: () => [...opened.keys()],
    get: (id) => opened.get(id)?.conversation,
    hold: (id, conversation) => {
      const found = opened.get(id);
      if (!found) return;
      found.conversation = conversation ?? null;
      for (const listener of listenersOf.get(id) ?? []) listener();
    },
    subscribe: (id, listener) => {
      let listeners = listenersOf.get(id);
      if (!listeners) listenersOf.set(id, (listeners = new Set()));
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
