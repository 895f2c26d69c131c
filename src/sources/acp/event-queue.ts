import type { Event } from "../../events.ts";

const LIMIT = 1000;

/** Events on their way to the runner. The agent is not read on while many wait. */
export class EventQueue {
  #events: Event[] = [];
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;
  #wake = (): void => {};
  #room: PromiseWithResolvers<void> | undefined;

  push(events: readonly Event[]): void {
    if (this.#isClosed) return;
    for (const event of events) this.#events.push(event);
    if (events.length > 0) this.#wake();
  }

  /** Undefined while there is room. */
  room(): Promise<void> | undefined {
    if (this.#events.length <= LIMIT || this.#isClosed) return undefined;
    return (this.#room ??= Promise.withResolvers<void>()).promise;
  }

  /** After what is pushed the reader gets the end, or this error. */
  close(failure?: { readonly error: unknown }): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failure = failure;
    this.#wake();
  }

  async *read(): AsyncGenerator<Event> {
    for (;;) {
      const events = this.#events;
      this.#events = [];
      this.#room?.resolve();
      this.#room = undefined;
      yield* events;
      if (this.#events.length > 0) continue;
      if (this.#failure) throw this.#failure.error;
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
