import type { Decoder, Dialect, Frame } from "../dialect.ts";
import { type Event, type EventOf, eventSchema } from "../events.ts";
import { isPermission, protocolProblem, UPSTREAM } from "../protocol.ts";
import { type Past, Refusal, type RunContext, type RunRequest, type Source } from "../source.ts";
import { adoptFiles } from "./http/adopt-files.ts";
import { catchUpOf } from "./http/catch-up.ts";
import { createConnection } from "./http/connection.ts";
import { createMarking } from "./http/mark.ts";
import { createOwnIds } from "./http/own-ids.ts";
import { withPauses } from "./http/pauses.ts";
import { secretsOf, withoutSecrets } from "./upstream/refusals.ts";
import { createRemote } from "./http/remote.ts";
import { createSteering } from "./http/steering.ts";

export interface HttpOptions {
  /** The dialect of the server. */
  readonly dialect: Dialect;
  /** The base URL as a client of that dialect would use it: with or without the prefix of the dialect's paths. */
  readonly url: string;
  /** The agent to request from the server. Default: the server's default agent. */
  readonly agent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a Bearer token. */
  readonly key?: string;
  /** Maps a dialect's path to the server's path, for servers that mount the dialect elsewhere. */
  readonly path?: (path: string) => string;
  /** How long to try to resume a run after the connection is lost. Default: 30 s. */
  readonly retryMs?: number;
}

/**
 * Creates an agent from any server that implements a dialect. From a Runcast server it requests everything available,
 * so that the run looks like a local one: its asks can be answered here, its calls stopped here, and its files are
 * stored here.
 *
 * - An error response before the stream refuses the request, with the server's message.
 * - A broken stream is resumed if the dialect can follow a run. Otherwise, or when `retryMs` is over, the run ends
 *   with the retryable error `upstream-cut`. A stream that ends without its end marker counts as broken.
 * - If the dialect's streams end when the user is asked, the run continues with another request, which carries all
 *   answers together.
 * - A cancel is sent as the dialect's cancel request if there is one. Otherwise the connection is closed.
 * - If this process dies, the next one follows a Runcast server's run from the end of the log, and nothing is cut.
 *   Other runs end as interrupted.
 */
export const http = (options: HttpOptions): Source => {
  const play = async function* (request: RunRequest, context: RunContext, past?: Past): AsyncGenerator<Event> {
    const earlier = past && (await catchUpOf(context.run, past));
    if (earlier && earlier.upstream === undefined) return yield interrupted("before the upstream server had responded");
    const remote = createRemote(options, context.signal);
    const connection = createConnection(remote, options, request, context, earlier?.upstream);
    const ids = createOwnIds(context.run);
    const steering = createSteering(remote, connection, context, ids.theirs);
    const decode = decoderOf(options.dialect);
    const mark = createMarking(context.run);
    let hasFrames = false;
    try {
      const isPausing = decode.pause !== undefined || earlier !== undefined;
      const frames = isPausing ? withPauses(connection.frames(), PAUSE_MS) : connection.frames();
      for await (const frame of frames) {
        hasFrames = true;
        if (!frame) steering.caughtUp(earlier?.endedHere());
        for (const decoded of frame ? decode(frame) : (decode.pause?.() ?? [])) {
          if (decoded.type === "run-start") {
            const problem = protocolProblem(decoded.protocol);
            if (problem) throw new Refusal("upstream-protocol", problem.message, { status: 502, hint: problem.hint });
            connection.named(decoded.run);
          }
          // A Runcast server already assigns unique ids.
          const named = connection.isRuncast ? decoded : ids.ours(decoded);
          const missing = earlier ? earlier.missing(named) : named;
          if (!missing) {
            steering.observeAgain(named);
            continue;
          }
          if (missing.type !== "ask-end") steering.caughtUp(earlier?.endedHere());
          const marked = mark(heldUpstream(missing), connection.isRuncast ? connection.run : undefined);
          const adopted = adoptFiles(marked, connection, context);
          const event = adopted instanceof Promise ? await adopted : adopted;
          connection.continuation?.observe(decoded, event);
          steering.observe(event);
          yield event;
          if (event.type === "run-end") return;
        }
        yield* steering.notices();
      }
    } catch (error) {
      const problem = withoutSecrets(error, secretsOf(options, request));
      // If the server has forgotten the run or cannot be reached, the agent has not failed.
      if (!earlier || hasFrames || !(problem instanceof Refusal)) throw problem;
      yield interrupted(`and the upstream server cannot be followed: ${problem.message}`);
    } finally {
      steering.close();
      remote.close();
    }
  };
  const source: Source = (request, context) => play(request, context);
  return canFollowOn(options.dialect) ? Object.assign(source, { follows: true, resume: play }) : source;
};

/**
 * Whether a run on the server can be followed by id from its beginning, steered from any process, and continues on its
 * own in between.
 */
const canFollowOn = ({ routes, segments }: Dialect): boolean =>
  !segments && (["follow", "answer", "cancel"] as const).every((one) => routes.some(({ does }) => does === one));

/** What the server's agent may do can be revoked only there. */
const heldUpstream = (event: Event): Event =>
  isPermission(event) && event.value === true ? { ...event, value: UPSTREAM } : event;

const interrupted = (reason: string): EventOf<"run-end"> => ({
  type: "run-end",
  outcome: "interrupted",
  error: { code: "interrupted", message: `the server stopped during the run, ${reason}`, retryable: true },
});

/** Frames of one event arrive closer together than this. */
const PAUSE_MS = 100;

/** Validates everything a server sends. */
const decoderOf = (dialect: Dialect): Decoder => {
  const decode = dialect.decode();
  const checked = (read: () => readonly Event[]): readonly Event[] => {
    try {
      return read().map((event) => eventSchema.parse(event));
    } catch (cause) {
      throw new Refusal("upstream-invalid", `the upstream server did not send ${dialect.name}`, {
        status: 502,
        hint: "check that the server at url uses this dialect",
        cause,
      });
    }
  };
  return Object.assign((frame: Frame) => checked(() => decode(frame)), {
    ...(decode.pause && { pause: () => checked(() => decode.pause?.() ?? []) }),
  });
};
