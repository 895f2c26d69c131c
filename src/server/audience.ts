import type { ServerResponse } from "node:http";
import type { Cursor, Dialect, EncodeOptions, Waiting } from "../dialect.ts";
import type { Log } from "../log.ts";
import { frameText } from "../sse.ts";
import { Channel, type Stage } from "./channel.ts";
import { Chunk } from "./chunked.ts";
import { createHeartbeats } from "./heartbeats.ts";
import type { Metrics } from "./metrics.ts";
import { createReleases } from "./releases.ts";
import { Batch } from "../batch.ts";
import { Turns } from "./turns.ts";
import { Viewer } from "./viewer.ts";

/** All viewers of this server's runs. */
export interface Audience {
  follow(following: Following): void;
  /** The number of viewers of this run in this dialect. */
  count(run: string, dialect: Dialect): number;
  /** The number of viewers that have not received all entries yet. */
  readonly behind: number;
  /** Cuts the connections of all viewers of this run. Without a run-end, their clients resume. */
  cut(run: string): void;
  /** Ends the streams of runs that will not continue here. Without a run-end, their clients resume. */
  close(): void;
}

export interface Following {
  readonly run: string;
  readonly dialect: Dialect;
  readonly options: EncodeOptions;
  /** Viewers with the same dialect, options and `linkBase` get the same links. */
  readonly linkBase: string;
  /** The log to read: the whole run, or the part that a share link shows. Then `linkBase` differs too. */
  readonly log: Log;
  readonly after: Cursor;
  readonly headers: Record<string, string>;
  readonly response: ServerResponse;
  /** The state at `after`, sent first. */
  readonly snapshot?: unknown;
  /** Segments that end at or before this seq do not end the stream. */
  readonly through?: number;
  /** Called if the client closes the connection before the run's end was sent. */
  readonly onCut?: () => void;
}

export interface AudienceOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly waiting: (run: string) => Waiting;
  readonly onProblem: (error: unknown, run: string) => void;
}

export const createAudience = ({ log, metrics, waiting, onProblem }: AudienceOptions): Audience => {
  const unexpected = (error: unknown) => onProblem(error, "");
  const stage: Stage = {
    log,
    metrics,
    onProblem,
    live: new Batch(process.nextTick, unexpected),
    behind: new Turns(Infinity, unexpected),
    releases: createReleases(),
  };
  const heartbeats = createHeartbeats(waiting, metrics);
  const viewers = new Set<Viewer>();
  const channels = new Map<string, Channel>();
  const counts = new Map<string, number>();
  const countKey = (run: string, { name }: Dialect) => `${name} ${run}`;

  const stageFor = (read: Log): Stage => (read === log ? stage : { ...stage, log: read });
  const channelOf = ({ run, dialect, options, linkBase, log: read }: Following) => {
    const { style = "", extensions, request } = options;
    const key = [run, dialect.name, style, extensions ? 1 : 0, request ? 1 : 0, linkBase].join("\n");
    let channel = channels.get(key);
    if (!channel) channels.set(key, (channel = new Channel(key, run, dialect, options, stageFor(read))));
    return channel;
  };

  const leave = (viewer: Viewer): void => {
    const { channel } = viewer;
    metrics.viewers--;
    heartbeats.remove(viewer);
    const key = countKey(channel.run, channel.dialect);
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
    viewers.delete(viewer);
    if (--channel.viewers > 0) return;
    channels.delete(channel.key);
    channel.close();
  };

  return {
    follow: (following) => {
      const { run, dialect, response, headers, after, snapshot, through = 0, onCut } = following;
      const channel = channelOf(following);
      channel.viewers++;
      metrics.viewers++;
      counts.set(countKey(run, dialect), (counts.get(countKey(run, dialect)) ?? 0) + 1);
      const onLeft = onCut
        ? (left: Viewer, ended: boolean) => {
            leave(left);
            if (!ended) onCut();
          }
        : leave;
      const viewer = new Viewer(channel, response, headers, { ...after, through }, onLeft);
      viewers.add(viewer);
      heartbeats.add(viewer);
      const frames = snapshot === undefined ? undefined : dialect.snapshot?.(after.seq, snapshot);
      if (frames) viewer.write(new Chunk(frames.map(frameText).join("")), false);
      viewer.flush();
    },
    count: (run, dialect) => counts.get(countKey(run, dialect)) ?? 0,
    get behind() {
      let behind = 0;
      for (const { slot } of viewers) if (slot < 0) behind++;
      return behind;
    },
    cut: (run) => {
      for (const viewer of [...viewers]) if (viewer.channel.run === run) viewer.cut();
    },
    close: () => {
      for (const viewer of viewers) viewer.finish();
    },
  };
};
