/** What may arrive before the reader takes it. More waits in the network. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a body continuously, and returns everything that has arrived since the last call, or undefined at the end. A
 * browser returns about one packet per read, so a reader that pauses between two reads falls behind a fast stream.
 */
export const readAhead = (body: ReadableStream<Uint8Array>): (() => Promise<readonly Uint8Array[] | undefined>) => {
  const reader = body.getReader();
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let end: { readonly error?: unknown } | undefined;
  let onArrival = (): void => {};
  let onTaken = (): void => {};

  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      chunks.push(value);
      bytes += value.length;
      onArrival();
      if (bytes >= MAX_BYTES) await new Promise<void>((resolve) => (onTaken = resolve));
    }
  };
  void read()
    .then(
      () => (end = {}),
      (error: unknown) => (end = { error }),
    )
    .then(() => onArrival());

  return async () => {
    if (chunks.length === 0 && !end) await new Promise<void>((resolve) => (onArrival = resolve));
    if (chunks.length > 0) {
      const taken = chunks;
      chunks = [];
      bytes = 0;
      onTaken();
      return taken;
    }
    if (end && "error" in end) throw end.error;
    return undefined;
  };
};
