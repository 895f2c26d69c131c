/** The calls and sub-agents that can be cancelled one by one. */
export interface Targets {
  /** By the id the source gave. Aborts with the run, too. */
  signalOf(kind: "call" | "agent", id: string): AbortSignal;
  /** Asks the source to end it; ends it in the source's stead, by `force`, if that has not happened within `graceMs`. */
  cancel(kind: "call" | "agent", id: string, original: string, graceMs: number, force: () => void): Promise<void>;
  /** Says that the source begins one with this id: the cancel of an earlier one does not concern it. */
  begun(kind: "call" | "agent", original: string): void;
  /** Says that it has ended. */
  ended(kind: "call" | "agent", id: string): void;
  readonly anyForced: boolean;
}

export const createTargets = (run: AbortSignal): Targets => {
  const controllers = new Map<string, AbortController>();
  const waiting = new Map<string, () => void>();
  let anyForced = false;

  const controllerOf = (key: string): AbortController => {
    let controller = controllers.get(key);
    if (!controller) controllers.set(key, (controller = new AbortController()));
    return controller;
  };

  return {
    signalOf: (kind, id) => AbortSignal.any([run, controllerOf(`${kind} ${id}`).signal]),
    async cancel(kind, id, original, graceMs, force) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const key = `${kind} ${id}`;
      const earlier = waiting.get(key);
      waiting.set(key, () => (earlier?.(), resolve()));
      controllerOf(`${kind} ${original}`).abort({ code: "cancelled", message: `the ${kind} was cancelled` });
      const timer = setTimeout(() => {
        if (!waiting.has(key)) return;
        anyForced = true;
        force();
        resolve();
      }, graceMs);
      await promise;
      clearTimeout(timer);
    },
    begun(kind, original) {
      const key = `${kind} ${original}`;
      if (controllers.get(key)?.signal.aborted) controllers.delete(key);
    },
    ended(kind, id) {
      const key = `${kind} ${id}`;
      waiting.get(key)?.();
      waiting.delete(key);
    },
    get anyForced() {
      return anyForced;
    },
  };
};
