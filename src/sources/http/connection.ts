import { setTimeout as sleep } from "node:timers/promises";
import { type Command, type Frame, parseCursor } from "../../dialect.ts";
import { Refusal, type RunContext, type RunRequest } from "../../source.ts";
import { createFrameReader } from "../../sse.ts";
import type { HttpOptions } from "../http.ts";
import { type Continuation, createContinuation } from "./continuation.ts";
import { isTemporary, refusalOf, unreachable, upstreamCut } from "../upstream/refusals.ts";
import type { Remote } from "./remote.ts";

/** One run there, over as many connections and requests as it takes. */
export interface RemoteConnection {
  /** For a dialect whose streams end where people are asked. */
  readonly continuation: Continuation | undefined;
  /** Starts the run, or follows it from its beginning if it was started before, and gives its frames. Throws a Refusal where that fails; ends quietly only when nothing more is wanted. */
  frames(): AsyncGenerator<Frame>;
  /** The run's id there, once it is known. */
  readonly run: string | undefined;
  /** Whether it is a Runcast that answers. */
  readonly isRuncast: boolean;
  /** Whether the run there is followed, whoever answers what it asks. */
  readonly isFollowed: boolean;
  /** Settled when the start has been answered, or has failed. */
  readonly begun: Promise<void>;
  /** The bytes that a Runcast there keeps beside the run; undefined if it cannot be asked or does not give them. */
  file(id: string): Promise<Uint8Array | undefined>;
  /** Takes the id that the run has by its own words, if the server has said none in its head. */
  named(run: string): void;
}

const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;
const FILE_TRIES = 5;
/** So many heartbeats of a Runcast in a row do not get lost: the connection is dead. */
const SILENT_HEARTBEATS = 3;

/** `earlier` is the run there that another process has started for this one, on a Runcast. */
export const createConnection = (
  remote: Remote,
  options: HttpOptions,
  request: RunRequest,
  context: RunContext,
  earlier?: string,
): RemoteConnection => {
  const { dialect } = remote;
  const { patienceMs = PATIENCE_MS } = options;
  const { run: _, agent: __, ...asked } = request;
  // An id of our own choice makes posting again safe, if the dialect says it: the server then follows instead of starting.
  const chosen = `via-${crypto.randomUUID()}`;
  const start = {
    do: "start" as const,
    request: { ...asked, run: chosen, ...(options.agent !== undefined && { agent: options.agent }) },
    extensions: true,
    // A run that can be resumed must outlive a connection that breaks; it is stopped by a request then.
    ...(remote.can("follow") && remote.can("cancel") && { disconnect: "continue" as const }),
  };
  const continuation = dialect.segments && createContinuation(start, context);
  // A family that knows threads alone may say the id, but as the thread's.
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

  /** Waits, or answers false if there is no more patience. */
  const patience = async (): Promise<boolean> => {
    if (failures === 0) since = Date.now();
    else if (Date.now() - since >= patienceMs) return false;
    await sleep(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++), undefined, { signal: remote.signal });
    return true;
  };

  /** A run that was started before has broken off nowhere yet. */
  const isFirstTry = (): boolean => {
    const isFirst = mayTryAtOnce;
    mayTryAtOnce = false;
    return isFirst;
  };

  const begin = async (connection: AbortSignal): Promise<Response> => {
    for (;;) {
      const response = await remote.send(start, connection).catch(async (error: unknown) => {
        // What was never heard can be refused at once, in particular where nobody listens.
        if (saysRun && !isRefused(error) && (await patience())) return undefined;
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

  /** The stream of the next segment, which a server that keeps no runs gives for the answers; undefined if there is nothing to go on with. */
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
    if (run === undefined || !remote.can("follow")) throw upstreamCut("the upstream server's stream broke off");
    const after = parseCursor(lastEventId) ?? { seq: 0, frame: 0 };
    const follow: Command = { do: "follow", run, after, skipFrames: received, extensions: true };
    while (isFirstTry() || (await patience())) {
      const response = await remote.send(follow, connection).catch(() => undefined);
      remote.signal.throwIfAborted();
      if (response?.status === 200 && isStream(response)) return response;
      if (response?.status === 204) break;
      if (response && !isTemporary(response.status)) throw await refusalOf(response, dialect.name);
      await response?.body?.cancel();
    }
    throw upstreamCut("the upstream server's stream broke off and could not be resumed");
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
        // The cursor is that of the last of these: they are all given before anything else can happen.
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
      // A family that knows threads alone cannot be asked for a run by an id.
      if (!dialect.segments) run ??= id;
    },
  };
};

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

/** A server that answers once, or with a page, is not one of these; content types of streams differ among servers. */
const isStream = (response: Response): boolean =>
  response.body !== null && !/json|html/.test(response.headers.get("content-type") ?? "");

/** A failure of the network has a cause; without one, it is fetch itself that does not take the request. */
const isRefused = (error: unknown): boolean =>
  error instanceof TypeError &&
  (error.cause === undefined || (error.cause as { code?: string }).code === "ECONNREFUSED");

const tooLarge = (cause: unknown) =>
  new Refusal("upstream-too-large", "the upstream server sent a frame that is too large", { status: 502, cause });
