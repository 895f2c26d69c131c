import type { Dialect, Waiting } from "../dialect.ts";
import { commentText, frameText } from "../sse.ts";
import { Chunk } from "./chunked.ts";
import type { Metrics } from "./metrics.ts";
import type { Viewer } from "./viewer.ts";

/** Sends each viewer its dialect's heartbeat, with one timer per dialect for any number of viewers. */
export interface Heartbeats {
  add(viewer: Viewer): void;
  remove(viewer: Viewer): void;
}

const TICK_MS = 1000;

/** Spreads viewers over a wheel by arrival time, so thousands of heartbeats do not go out in one burst. */
interface Wheel {
  readonly spokes: readonly Set<Viewer>[];
  position: number;
  viewers: number;
  timer: NodeJS.Timeout | undefined;
}

export const createHeartbeats = (waiting: (run: string) => Waiting, metrics: Metrics): Heartbeats => {
  const wheels = new Map<Dialect, Wheel>();

  const tick = (dialect: Dialect, wheel: Wheel): void => {
    wheel.position = (wheel.position + 1) % wheel.spokes.length;
    for (const viewer of wheel.spokes[wheel.position] ?? []) {
      // A full socket means that the reader is slow. Another frame would only use memory.
      if (viewer.stalled) continue;
      const { comment } = dialect.heartbeat;
      const frames = dialect.heartbeat.frames(waiting(viewer.channel.run));
      if (frames.length === 0 && comment === undefined) continue;
      const text = frames.length > 0 ? frames.map(frameText).join("") : commentText(comment ?? "");
      viewer.write(new Chunk(text), false);
      metrics.heartbeats++;
    }
  };

  const wheelOf = (dialect: Dialect): Wheel => {
    let wheel = wheels.get(dialect);
    if (!wheel) {
      const spokes = Math.max(1, Math.round(dialect.heartbeat.everyMs / TICK_MS));
      wheel = { spokes: Array.from({ length: spokes }, () => new Set()), position: 0, viewers: 0, timer: undefined };
      wheels.set(dialect, wheel);
    }
    return wheel;
  };

  return {
    add: (viewer) => {
      const { dialect } = viewer.channel;
      const wheel = wheelOf(dialect);
      viewer.beats = wheel.spokes[wheel.position];
      viewer.beats?.add(viewer);
      if (wheel.viewers++ > 0) return;
      wheel.timer = setInterval(() => tick(dialect, wheel), dialect.heartbeat.everyMs / wheel.spokes.length);
      wheel.timer.unref();
    },
    remove: (viewer) => {
      if (!viewer.beats?.delete(viewer)) return;
      viewer.beats = undefined;
      const wheel = wheelOf(viewer.channel.dialect);
      if (--wheel.viewers === 0) clearInterval(wheel.timer);
    },
  };
};
