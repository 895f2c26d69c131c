import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { Entry } from "runcast/events";
import { createReplay, type Replay } from "runcast/replay";

/** A replay of these entries that plays in real time. Renders again when it moves. */
export const useReplay = (entries: readonly Entry[]): Replay => {
  const { replay, count, watch } = useMemo(() => counted(createReplay(entries, 0)), [entries]);
  useSyncExternalStore(watch, count);
  const { isPlaying } = replay;
  useEffect(() => {
    if (!isPlaying) return;
    let last = performance.now();
    let frame = requestAnimationFrame(function tick(now) {
      replay.tick(Math.max(0, now - last));
      last = now;
      frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
  }, [replay, isPlaying]);
  return replay;
};

/** A replay changes in place, so a counter signals changes to React. */
const counted = (replay: Replay) => {
  let changes = 0;
  const watch = (listener: () => void) =>
    replay.subscribe(() => {
      changes++;
      listener();
    });
  return { replay, watch, count: () => changes };
};
