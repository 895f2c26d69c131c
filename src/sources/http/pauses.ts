import type { Frame } from "../../dialect.ts";

/** Yields the frames, and undefined whenever no frame has followed another within this time. */
export async function* withPauses(frames: AsyncGenerator<Frame>, ms: number): AsyncGenerator<Frame | undefined> {
  let next = frames.next();
  try {
    for (let isFirst = true; ; isFirst = false) {
      if (!isFirst && !(await comesWithin(next, ms))) yield undefined;
      const { done, value } = await next;
      if (done) return;
      yield value;
      next = frames.next();
    }
  } finally {
    // Not awaited: it would have to wait for a pending frame.
    next.catch(() => {});
    frames.return(undefined).catch(() => {});
  }
}

const comesWithin = async (next: Promise<unknown>, ms: number): Promise<boolean> => {
  const silence = Promise.withResolvers<false>();
  const timer = setTimeout(() => silence.resolve(false), ms);
  try {
    return await Promise.race([next.then(() => true), silence.promise]);
  } finally {
    clearTimeout(timer);
  }
};
