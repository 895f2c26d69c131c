/**
 * How long the page collects a fast stream before it shows it. Each frame costs the browser a layout and a paint, and
 * text that grows 20 times per second still reads as continuous.
 */
const BEAT_MS = 50;

let beat: Promise<void> | undefined;

/**
 * Resolves when the page next shows what has arrived. Everything that waits for it shares one frame. It uses a timer,
 * because a page that is not painted has no frames, and a frame that only takes what has arrived costs as much as one
 * that shows it.
 */
export const nextBeat = (): Promise<void> =>
  (beat ??= new Promise((resolve) => {
    setTimeout(() => {
      beat = undefined;
      resolve();
    }, BEAT_MS);
  }));
