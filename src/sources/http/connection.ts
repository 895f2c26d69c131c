import { setTimeout as sleep } from "node:timers/promises";
import { type Command, type Frame, parseCursor } from "../../dialect.ts";
import { Refusal, type RunContext, type RunRequest } from "../../source.ts";
import { createFrameReader } from "../../sse.ts";
import type { HttpOptions } from "../http.ts";
import { type Continuation, createContinuation } from "./continuation.ts";
import { isTemporary, refusalOf, unreachable, upstreamCut } from "../upstream/refusals.ts";
import type { Remote } from "./remote.ts";

/** One upstream run, over as many connections and requests as needed. */
export interface RemoteConnection {
  /** For dialects whose streams end when the user is asked. */
  readonly continuation: Continuation | undefined;
  /**
   * Starts the run, or follows it from its beginning if it was already started, and yields its frames. Throws a Refusal
   * on failure. Returns without an error only when no more frames are wanted.
   */
  frames(): AsyncGenerator<Frame>;
  /** The id of the upstream run, once known. */
  readonly run: string | undefined;
  /** Whether the server is a Runcast server. */
  readonly isRuncast: boolean;
  /** Whether the upstream run is followed, no matter where its asks are answered. */
  readonly isFollowed: boolean;
  /** Settles when the start has been answered or has failed. */
  readonly begun: Promise<void>;
  /** The bytes of a file that a Runcast server stores alongside the run. Undefined if it cannot be fetched. */
  file(id: string): Promise<Uint8Array | undefined>;
  /** Sets the run's id from its run-start, if the server did not send one in its headers. */
  named(run: string): void;
}

const RETRY_MS = 30_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;
const FILE_TRIES = 5;
/** If this many heartbeats of a Runcast server are missing in a row, the connection is dead. */
const SILENT_HEARTBEATS = 3;

/** `earlier` is the upstream run that another process started for this one on a Runcast server. */
export const createConnection = (
  remote: Remote,
  options: HttpOptions,
  request: RunRequest,
  context: RunContext,
  earlier?: string,
): RemoteConnection => {
  const { dialect } = remote;
  const { retryMs = RETRY_MS } = options;
  const { run: _, agent: __, previous: ___, ...asked } = request;
  // Choosing the id makes it safe to post again, if the dialect transmits it: the server then follows instead of
  // starting.
  const chosen = `via-${crypto.randomUUID()}`;
  const start = {
    do: "start" as const,
    request: { ...asked, run: chosen, ...(options.agent !== undefined && { agent: options.agent }) },
    extensions: true,
    // A run that can be resumed must survive a broken connection. It is stopped with a request instead.
    ...(remote.can("follow") && remote.can("cancel") && { disconnect: "continue" as const }),
  };
  const continuation = dialect.segments && createContinuation(start, context);
  // Dialects that only know threads may transmit the id, but as a thread id.
  const saysRun = !dialect.segments && remote.can("follow") && (dialect.write(start).body ?? "").includes(chosen);
  const begun = Promise.withResolvers<void>();
  const [beat] = dialect.heartbeat.frames({ waiting: "agent", since: 0 });
  let run = earlier ?? (saysRun ? chosen : undefined);
  let isRuncast = earlier !== undefined;
  let lastEventId = "";
  let received = 0;
  let since = 0;
  let failures = 0;
  let mayTryAtOnce = earlier !== undefined;
  const isFollowed = (): boolean => isRuncast && remote.can("follow");

  /** Waits before a retry. Returns false when `retryMs` is over. */
  const waitToRetry = async (): Promise<boolean> => {
    if (failures === 0) since = Date.now();
    else if (Date.now() - since >= retryMs) return false;
    await sleep(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++), undefined, { signal: remote.signal });
    return true;
  };

  /** A run that was started earlier needs no wait before the first attempt. */
  const isFirstTry = (): boolean => {
    const isFirst = mayTryAtOnce;
    mayTryAtOnce = false;
    return isFirst;
  };

  const begin = async (connection: AbortSignal): Promise<Response> => {
    for (;;) {
      const response = await remote.send(start, connection).catch(async (error: unknown) => {
        // Retry only if posting again is safe. A refused connection fails immediately, because no server is listening.
        if (saysRun && !isRefused(error) && (await waitToRetry())) return undefined;
        throw unreachable(options.url, error);
      });
      if (!response) continue;
      await checkStream(response);
      run = response.headers.get("runcast-run") ?? run;
      isRuncast = response.headers.has("runcast-run");
      return response;
    }
  };

  const checkStream = async (response: Response): Promise<void> => {
    if (!response.ok || !isStream(response)) throw await refusalOf(response, dialect.name);
  };

  /**
   * The stream of the next segment, which a server that stores no runs sends in response to the answers. Undefined if
   * there is nothing to continue with.
   */
  const proceed = async (waiting: Continuation, connection: AbortSignal): Promise<Response | undefined> => {
    const next = await Promise.race([waiting.next(), aborted(remote.signal)]);
    if (!next) return undefined;
    const response = await remote.send(next, connection).catch((error: unknown) => {
      throw unreachable(options.url, error);
    });
    await checkStream(response);
    return response;
  };

  const resume = async (connection: AbortSignal): Promise<Response> => {
    if (run === undefined || !remote.can("follow")) throw upstreamCut("the connection to the upstream server was lost");
    const after = parseCursor(lastEventId) ?? { seq: 0, frame: 0 };
    const follow: Command = { do: "follow", run, after, skipFrames: received, extensions: true };
    while (isFirstTry() || (await waitToRetry())) {
      const response = await remote.send(follow, connection).catch(() => undefined);
      remote.signal.throwIfAborted();
      if (response?.status === 200 && isStream(response)) return response;
      if (response?.status === 204) break;
      if (response && !isTemporary(response.status)) throw await refusalOf(response, dialect.name);
      await response?.body?.cancel();
    }
    throw upstreamCut("the connection to the upstream server was lost and could not be resumed");
  };

  async function* read(response: Response, onSilence: () => void): AsyncGenerator<Frame> {
    const frames: Frame[] = [];
    const reader = createFrameReader((frame) => frames.push(frame), { lastEventId });
    const silence = isRuncast ? setTimeout(onSilence, SILENT_HEARTBEATS * dialect.heartbeat.everyMs) : undefined;
    try {
      for await (const bytes of response.body ?? []) {
        silence?.refresh();
        reader.push(bytes);
        if (frames.length > 0) failures = 0;
        // The cursor is that of the last frame of this batch. All of them are yielded before anything else can happen.
        lastEventId = reader.lastEventId;
        received += frames.filter(({ event }) => event === undefined || event !== beat?.event).length;
        yield* frames.splice(0);
      }
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(error);
    } finally {
      clearTimeout(silence);
    }
  }

  return {
    continuation,
    async *frames() {
      if (earlier !== undefined) begun.resolve();
      for (let isFirst = earlier === undefined; ; isFirst = false) {
        const connection = new AbortController();
        try {
          const response = await (isFirst
            ? begin(connection.signal).finally(begun.resolve)
            : continuation?.isDue && !isFollowed()
              ? proceed(continuation, connection.signal)
              : resume(connection.signal));
          if (!response) return;
          yield* read(response, () => connection.abort());
        } catch (error) {
          if (!remote.signal.aborted) throw error;
        } finally {
          connection.abort();
        }
        if (remote.signal.aborted) return;
      }
    },
    get run() {
      return run;
    },
    get isRuncast() {
      return isRuncast;
    },
    get isFollowed() {
      return isFollowed();
    },
    begun: begun.promise,
    async file(id) {
      if (!isRuncast || run === undefined) return undefined;
      const path = `/runs/${encodeURIComponent(run)}/files/${encodeURIComponent(id)}`;
      for (let tries = 0; tries < FILE_TRIES && !remote.signal.aborted; tries++) {
        try {
          const response = await remote.fetch(path);
          if (response.ok) return await response.bytes();
          await response.body?.cancel();
          if (!isTemporary(response.status)) return undefined;
        } catch {
          await sleep(FIRST_WAIT_MS * 2 ** tries);
        }
      }
      return undefined;
    },
    named: (id) => {
      // Dialects that only know threads cannot find a run by id.
      if (!dialect.segments) run ??= id;
    },
  };
};

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

/** A JSON or HTML response is not a stream. The content types of streams differ between servers. */
const isStream = (response: Response): boolean =>
  response.body !== null && !/json|html/.test(response.headers.get("content-type") ?? "");

/** Whether a retry is pointless: the connection was refused, or fetch rejected the request itself. Network failures have a cause. */
const isRefused = (error: unknown): boolean =>
  error instanceof TypeError &&
  (error.cause === undefined || (error.cause as { code?: string }).code === "ECONNREFUSED");

const tooLarge = (cause: unknown) =>
  new Refusal("upstream-too-large", "the upstream server sent a frame that is too large", { status: 502, cause });
