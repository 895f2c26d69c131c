import { showWaiting } from "../../../web/src/kit/show.ts";

/** Animation frames run on demand, so that the output does not depend on timing. */
const waiting = new Map<number, FrameRequestCallback>();
let last = 0;

globalThis.requestAnimationFrame = (callback) => {
  waiting.set(++last, callback);
  return last;
};
globalThis.cancelAnimationFrame = (handle) => void waiting.delete(handle);

export const flushFrames = (): void => {
  const due = [...waiting.values()];
  waiting.clear();
  for (const callback of due) callback(0);
  showWaiting();
};
