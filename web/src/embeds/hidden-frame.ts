import { frameUrl } from "./frame-document.ts";

/**
 * Runs a document in a hidden frame that may reach only these origins. Resolves with the first `{ answer }` it posts,
 * or rejects with its `{ failed }`. The frame is removed afterwards, or when the signal aborts.
 */
export const inHiddenFrame = <Answer>(
  html: string,
  origins: readonly string[],
  signal: AbortSignal,
): Promise<Answer> => {
  const frame = document.createElement("iframe");
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let isGiven = false;
  const take = ({ source, data }: MessageEvent<unknown>): void => {
    if (source !== frame.contentWindow || typeof data !== "object" || data === null) return;
    const { runcast, answer, failed } = data as { runcast?: unknown; answer?: Answer; failed?: unknown };
    if (runcast === "ready" && !isGiven) frame.contentWindow?.postMessage({ html }, "*");
    if (runcast === "ready") isGiven = true;
    if (answer !== undefined) resolve(answer);
    if (typeof failed === "string") reject(new Error(failed.slice(0, 2000)));
  };
  const stop = (): void => reject(signal.reason as Error);
  addEventListener("message", take);
  signal.addEventListener("abort", stop, { once: true });
  frame.hidden = true;
  frame.sandbox.add("allow-scripts");
  frame.src = frameUrl(origins, []);
  document.body.append(frame);
  return promise.finally(() => {
    removeEventListener("message", take);
    signal.removeEventListener("abort", stop);
    frame.remove();
  });
};

/** Escapes a string for a script inside HTML. */
export const inScript = (text: string): string => JSON.stringify(text).replaceAll("<", String.raw`\u003c`);
