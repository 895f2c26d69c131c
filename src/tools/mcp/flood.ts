/** More than any real server sends. Each message is parsed and checked on the main thread. */
const MOST_PER_SECOND = 5000;

/** Counts the messages of one connection, and calls `tooMany` when they come too fast. */
export const floodMeter = (tooMany: () => void, now = () => performance.now()): (() => void) => {
  let count = 0;
  let since = now();
  return () => {
    count += 1;
    if (count <= MOST_PER_SECOND) return;
    const elapsed = now() - since;
    count = 0;
    since = now();
    if (elapsed < 1000) tooMany();
  };
};
