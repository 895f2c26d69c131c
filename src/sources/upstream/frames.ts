import type { Frame } from "../../dialect.ts";
import { Refusal } from "../../source.ts";
import { createFrameReader } from "../../sse.ts";

interface FramesOptions {
  /** The signal of the request. Reading ends when it aborts. */
  readonly signal: AbortSignal;
  /** Whether to report a pause in the stream. */
  readonly isHolding?: () => boolean;
}

/** Frames that a server writes together arrive within this time. */
const QUIET_MS = 40;

/** Yields the frames of a stream until it ends, breaks off or is aborted. Yields undefined after a pause while `isHolding`. */
export async function* framesOf(
  response: Response,
  { signal, isHolding = () => false }: FramesOptions,
): AsyncGenerator<Frame | undefined> {
  const frames: Frame[] = [];
  const reader = createFrameReader((frame) => frames.push(frame));
  const body = response.body?.getReader();
  if (!body) return;
  try {
    for (;;) {
      const next = body.read().catch(() => ({ done: true, value: undefined }) as const);
      const isQuiet = quietUntil(next);
      while (isHolding() && (await isQuiet())) yield undefined;
      const { done, value } = await next;
      if (done || signal.aborted) return;
      reader.push(value);
      yield* frames.splice(0);
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Refusal("upstream-too-large", "The server sent a frame that is too large.", {
      status: 502,
      cause: error,
    });
  }
}

/**
 * Returns a function that waits for a pause, or until `settled` resolves, and returns whether there was a pause. It adds
 * one reaction to `settled` in all: those of a race would stay as long as a silent server keeps it pending.
 */
const quietUntil = (settled: Promise<unknown>): (() => Promise<boolean>) => {
  let isSettled = false;
  let onSettled = (): void => {};
  void settled.then(() => {
    isSettled = true;
    onSettled();
  });
  return () =>
    new Promise((resolve) => {
      if (isSettled) return resolve(false);
      const timer = setTimeout(resolve, QUIET_MS, true);
      onSettled = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
};
