import type { Frame } from "../../dialect.ts";
import { Refusal } from "../../source.ts";
import { createFrameReader } from "../../sse.ts";

interface FramesOptions {
  /** The one that the request was made with: when it aborts, the reading ends. */
  readonly signal: AbortSignal;
  /** Whether somebody wants to know when nothing comes for a moment. */
  readonly isHolding?: () => boolean;
}

/** Frames that a server writes at once arrive within this time. */
const QUIET_MS = 40;

/** The frames of a stream until it ends, breaks off or is no longer wanted; undefined when nothing came for a moment. */
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
      while (isHolding() && (await Promise.race([next, quiet()])) === undefined) yield undefined;
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

const quiet = () => new Promise<undefined>((resolve) => setTimeout(resolve, QUIET_MS, undefined));
