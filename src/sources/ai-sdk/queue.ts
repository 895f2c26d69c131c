/** A queue for two writers and one reader. Preserves the order. */
export interface Queue<Value> {
  push(values: readonly Value[]): void;
  /** Resolves when the reader has taken the queued values. Undefined if there is room. */
  room(): Promise<void> | undefined;
  close(): void;
  /** The reader gets all queued values, then this error. */
  fail(error: unknown): void;
  read(): AsyncGenerator<Value>;
}

const LIMIT = 256;

export const createQueue = <Value>(): Queue<Value> => {
  let values: Value[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake = (): void => {};
  let room: PromiseWithResolvers<void> | undefined;
  const finish = (how: { readonly error?: unknown }): void => {
    end ??= how;
    wake();
  };

  return {
    push(more) {
      if (end) return;
      values.push(...more);
      wake();
    },
    room: () => (values.length < LIMIT ? undefined : (room ??= Promise.withResolvers<void>()).promise),
    close: () => finish({}),
    fail: (error) => finish({ error }),
    async *read() {
      for (;;) {
        const taken = values;
        values = [];
        room?.resolve();
        room = undefined;
        yield* taken;
        if (values.length > 0) continue;
        if (end && "error" in end) throw end.error;
        if (end) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
};
