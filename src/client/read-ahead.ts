/** What may arrive before the reader takes it. More waits in the network. */
const MAX_BYTES = 1024 * 1024;
/** A read that takes this long has waited for the network. */
const WAITED_MS = 2;

/**
 * Returns everything that has arrived since the last call, or undefined at the end.
 *
 * Between calls, it reads on until a read has waited for the network. Each packet that is awaited costs a page a task,
 * and packets that have arrived do not. It cannot stop after each read, because a browser returns about one packet per
 * read, and would fall behind a fast stream.
 */
export const readAhead = (body: ReadableStream<Uint8Array>): (() => Promise<readonly Uint8Array[] | undefined>) => {
  const reader = body.getReader();
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let isCalled = false;
  let end: { readonly error?: unknown } | undefined;
  let onArrival = (): void => {};
  let onCall = (): void => {};

  const read = async (): Promise<void> => {
    for (;;) {
      const asked = performance.now();
      const { done, value } = await reader.read();
      if (done) return;
      const hasWaited = performance.now() - asked >= WAITED_MS;
      chunks.push(value);
      bytes += value.length;
      onArrival();
      if (bytes >= MAX_BYTES || (hasWaited && !isCalled)) await new Promise<void>((resolve) => (onCall = resolve));
    }
  };
  void read()
    .then(
      () => (end = {}),
      (error: unknown) => (end = { error }),
    )
    .then(() => onArrival());

  return async () => {
    isCalled = true;
    if (bytes < MAX_BYTES) onCall();
    if (chunks.length === 0 && !end) await new Promise<void>((resolve) => (onArrival = resolve));
    await nextTask();
    isCalled = false;
    if (chunks.length > 0) {
      const taken = chunks;
      if (bytes >= MAX_BYTES) onCall();
      chunks = [];
      bytes = 0;
      return taken;
    }
    if (end && "error" in end) throw end.error;
    return undefined;
  };
};

/** Until then, reads that do not have to wait are done. Not a timer: a browser delays those of a hidden page. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
