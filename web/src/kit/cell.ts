import { useSyncExternalStore } from "react";

/** A value that components read and others change. */
export interface Cell<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  /** Calls `listener` after each change. Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
}

export const createCell = <Value>(initial: Value): Cell<Value> => {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

export const useCell = <Value>(cell: Cell<Value>): Value => useSyncExternalStore(cell.subscribe, cell.get, cell.get);
