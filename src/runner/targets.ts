/**
 * The calls and sub-agents that can be cancelled individually. Its maps are created on demand, because most runs end
 * without such a cancel.
 */
export class Targets {
  readonly #run: AbortSignal;
  #controllers: Map<string, AbortController> | undefined;
  #waiting: Map<string, () => void> | undefined;
  anyForced = false;

  constructor(run: AbortSignal) {
    this.#run = run;
  }

  /** Takes the id that the source gave. Also aborts with the run. */
  signalOf(kind: "call" | "agent", id: string): AbortSignal {
    return AbortSignal.any([this.#run, this.#controllerOf(`${kind} ${id}`).signal]);
  }

  /** Aborts the target's signal. Calls `force` to end it if the source has not done so within `graceMs`. */
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

  /** The source starts an item with this id: an earlier cancel of the same id does not apply to it. */
  begun(kind: "call" | "agent", original: string): void {
    const key = `${kind} ${original}`;
    if (this.#controllers?.get(key)?.signal.aborted) this.#controllers.delete(key);
  }

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
