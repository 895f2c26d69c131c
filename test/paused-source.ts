import type { Source } from "../src/source.ts";

/** A source that emits "One ", waits until `go` is called, and emits "two." A stopped run ends at once: see `stopped`. */
export const pausedSource = () => {
  const going = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const source: Source = async function* (_, { signal }) {
    signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: "One " };
    await Promise.race([going.promise, stopped.promise]);
    if (signal.aborted) return;
    yield { type: "text-delta", part: "p", delta: "two." };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s", finish: "stop" };
  };
  return { source, go: going.resolve, stopped: stopped.promise };
};
