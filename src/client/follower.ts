import type { Frame } from "../dialect.ts";
import { messageOf } from "../message-of.ts";
import { createFrameReader } from "../sse.ts";
import { LONGEST_TIMER } from "../timer.ts";
import { BadFrame } from "../wire.ts";
import type { Backoff } from "./backoff.ts";
import { readAhead } from "./read-ahead.ts";
import { createSilence, type Silence } from "./silence.ts";
import { cut, networkTrouble, type Trouble, troubleOf } from "./trouble.ts";
import type { Wakes } from "./wakes.ts";

export interface FollowerOptions {
  /** Requests what comes after the current cursor. */
  readonly request: (signal: AbortSignal) => Promise<Response>;
  /**
   * Returns whether the frame contained anything new. Throws BadFrame if the connection is unusable after this frame.
   */
  readonly take: (frame: Frame) => boolean;
  /** Resolves when more can be accepted. Undefined if it can be now. */
  readonly room: () => Promise<void> | undefined;
  /** A stream has started: its response headers have arrived. */
  readonly onLive: () => void;
  /** The server reports that nothing will follow. */
  readonly onEmpty: () => void;
  readonly onCut: (trouble: Trouble, attempt: number, nextAt: number) => void;
  readonly onFailed: (trouble: Trouble, cause?: unknown) => void;
  readonly backoff: Backoff;
  readonly silenceMs: number;
  readonly wakes: Wakes;
  /** Awaited between two deliveries. */
  readonly pace: (() => Promise<void>) | undefined;
}

/** Large, because a snapshot contains a whole run. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

/** Keeps one connection at a time open, until stopped or until retrying cannot help. Returns a function that stops it. */
export const startFollower = (options: FollowerOptions): (() => void) => {
  let isStopped = false;
  let hasBeenLive = false;
  let attempt = 0;
  let retryMs = 0;
  let connection: AbortController | undefined;
  let silence: Silence | undefined;
  let wakeEarly: (() => void) | undefined;

  const stop = (): void => {
    isStopped = true;
    unsubscribe();
    connection?.abort();
    wakeEarly?.();
  };

  const fail = (trouble: Trouble, cause?: unknown): void => {
    stop();
    options.onFailed(trouble, cause);
  };

  const unsubscribe = options.wakes(() => {
    wakeEarly?.();
    silence?.check();
  });

  const read = async (response: Response, alive: Silence): Promise<Trouble> => {
    hasBeenLive = true;
    options.onLive();
    const reader = createFrameReader(
      (frame) => {
        if (!isStopped && options.take(frame)) attempt = 0;
      },
      { onRetry: (ms) => (retryMs = ms), maxFrameBytes: MAX_FRAME_BYTES },
    );
    const next = options.pace ? readAhead(response.body!) : readOnDemand(response.body!);
    while (!isStopped) {
      const chunks = await next();
      // Only a run-end ends a run. A stream that ends without one was cut off.
      if (!chunks) return cut("cut", "the stream ended before the run did");
      alive.reset();
      try {
        for (const chunk of chunks) reader.push(chunk);
      } catch (error) {
        if (error instanceof BadFrame) return cut("bad-frame", error.message);
        const message = `the run's reader threw an error: ${messageOf(error)}`;
        fail({ problem: { code: "reader-failed", message }, final: true }, error);
      }
      if (options.pace && !isStopped) await options.pace();
      const room = options.room();
      if (!room) continue;
      alive.pause();
      await room;
      alive.reset();
    }
    return cut("stopped", "stopped");
  };

  const connect = async (): Promise<Trouble> => {
    const controller = (connection = new AbortController());
    let isSilent = false;
    const alive = (silence = createSilence(options.silenceMs, () => {
      isSilent = true;
      controller.abort();
    }));
    try {
      const response = await options.request(controller.signal);
      alive.reset();
      if (response.status === 204) {
        options.onEmpty();
        return cut("empty", "the server has nothing to send");
      }
      if (response.status !== 200) return await troubleOf(response);
      const type = response.headers.get("content-type") ?? "no content type";
      if (response.body && type.startsWith("text/event-stream")) return await read(response, alive);
      // After a successful stream, an intermediary (such as a network's login page) may respond for a while.
      return { ...cut("no-stream", `the response is ${type}, not an event stream`), final: !hasBeenLive };
    } catch (error) {
      if (isSilent) return cut("silence", `nothing arrived for ${options.silenceMs} ms`);
      return networkTrouble(error);
    } finally {
      alive.stop();
      silence = undefined;
      controller.abort();
    }
  };

  const pause = (ms: number, canWake: boolean): Promise<void> =>
    new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        wakeEarly = undefined;
        resolve();
      };
      const timer = setTimeout(go, ms);
      // A delay requested by the server is always waited out, unless the follower was stopped.
      wakeEarly = () => {
        if (canWake || isStopped) go();
      };
    });

  const follow = async (): Promise<void> => {
    while (!isStopped) {
      const trouble = await connect();
      if (isStopped) return;
      const wait = trouble.final ? undefined : options.backoff(++attempt, trouble.problem);
      if (wait === undefined) return fail(trouble);
      const { retryAfterMs } = trouble;
      const ms = Math.min(LONGEST_TIMER, Math.max(wait, retryMs, retryAfterMs ?? 0));
      options.onCut(trouble, attempt, Date.now() + ms);
      await pause(ms, retryAfterMs === undefined);
    }
  };
  void follow();

  return stop;
};

const readOnDemand = (body: ReadableStream<Uint8Array>) => {
  const reader = body.getReader();
  return async (): Promise<readonly Uint8Array[] | undefined> => {
    const { done, value } = await reader.read();
    return done ? undefined : [value];
  };
};
