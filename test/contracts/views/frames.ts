/** Frames come when a test says so: what a view draws does not depend on when it is looked at. */
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
};
