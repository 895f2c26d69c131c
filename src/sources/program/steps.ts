import type { Event } from "../../events.ts";

/**
 * The steps of one agent. Text opens a step if none is open. A call belongs to the step and ends it, because calls
 * execute after their step. Calls that are made together belong to one step.
 */
export class Steps {
  readonly #emit: (event: Event) => void;
  readonly #newId: () => string;
  #step: string | undefined;
  #parts = 0;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(emit: (event: Event) => void, newId: () => string) {
    this.#emit = emit;
    this.#newId = newId;
  }

  /** A part begins. */
  begin(): void {
    this.#open();
    this.#parts++;
  }

  /** A part has ended. */
  end(): void {
    if (--this.#parts === 0 && this.#closing) this.#finish();
  }

  /** A call begins. The step ends after the program's current synchronous work, so calls made together share it. */
  call(): void {
    this.#open();
    if (this.#closing) return;
    this.#closing = Promise.withResolvers();
    queueMicrotask(() => {
      if (this.#parts === 0) this.#finish();
    });
  }

  /** Resolves when the step of a call that has just begun is over. */
  async ended(): Promise<void> {
    await this.#closing?.promise;
  }

  close(): void {
    if (this.#step === undefined) return;
    this.#emit({ type: "step-end", step: this.#step, finish: "stop" });
    this.#step = undefined;
  }

  #open(): void {
    if (this.#step !== undefined) return;
    this.#step = this.#newId();
    this.#emit({ type: "step-start", step: this.#step });
  }

  #finish(): void {
    if (!this.#closing || this.#step === undefined) return;
    const { resolve } = this.#closing;
    this.#closing = undefined;
    this.#emit({ type: "step-end", step: this.#step, finish: "tools" });
    this.#step = undefined;
    resolve();
  }
}
