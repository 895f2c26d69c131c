/** The calls and sub-agents that can be cancelled one by one. Its maps are made when they are needed: most runs end before anything in them is cancelled. */
export class Targets {
  readonly #run: AbortSignal;
  #controllers: Map<string, AbortController> | undefined;
  #waiting: Map<string, () => void> | undefined;
  anyForced = false;

  constructor(run: AbortSignal) {
    this.#run = run;
  }

  /** By the id the source gave. Aborts with the run, too. */
  signalOf(kind: "call" | "agent", id: string): AbortSignal {
    return AbortSignal.any([this.#run, this.#controllerOf(`${kind} ${id}`).signal]);
  }

  /** Asks the source to end it; ends it in the source's stead, by `force`, if that has not happened within `graceMs`. */
  async cancel(
    kind: "call" | "agent",
    id: string,
    original: string,
    graceMs: number,
    force: () => void,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const key = `${kind} ${id}`;
    const waiting = (this.#waiting ??= new Map<string, () => void>());
    const earlier = waiting.get(key);
    waiting.set(key, () => (earlier?.(), resolve()));
    this.#controllerOf(`${kind} ${original}`).abort({ code: "cancelled", message: `the ${kind} was cancelled` });
    const timer = setTimeout(() => {
      if (!waiting.has(key)) return;
      this.anyForced = true;
      force();
      resolve();
    }, graceMs);
    await promise;
    clearTimeout(timer);
  }

  /** Says that the source begins one with this id: the cancel of an earlier one does not concern it. */
  begun(kind: "call" | "agent", original: string): void {
    const key = `${kind} ${original}`;
    if (this.#controllers?.get(key)?.signal.aborted) this.#controllers.delete(key);
  }

  /** Says that it has ended. */
  ended(kind: "call" | "agent", id: string): void {
    const key = `${kind} ${id}`;
    this.#waiting?.get(key)?.();
    this.#waiting?.delete(key);
  }

  #controllerOf(key: string): AbortController {
    const controllers = (this.#controllers ??= new Map<string, AbortController>());
    let controller = controllers.get(key);
    if (!controller) controllers.set(key, (controller = new AbortController()));
    return controller;
  }
}
