import type { Decoder, Dialect, Frame } from "../dialect.ts";
import { type Event, eventSchema } from "../events.ts";
import { protocolProblem } from "../protocol.ts";
import { Refusal, type Source } from "../source.ts";
import { adoptFiles } from "./http/adopt-files.ts";
import { createConnection } from "./http/connection.ts";
import { createOwnIds } from "./http/own-ids.ts";
import { withPauses } from "./http/pauses.ts";
import { secretsOf, withoutSecrets } from "./upstream/refusals.ts";
import { createRemote } from "./http/remote.ts";
import { createSteering } from "./http/steering.ts";

export interface HttpOptions {
  /** What the server speaks. */
  readonly dialect: Dialect;
  /** The base URL, as a client of that family is given it: with or without the start of the dialect's paths. */
  readonly url: string;
  /** The agent to ask for there. Default: the server's own. */
  readonly agent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a Bearer token. */
  readonly key?: string;
  /** Where a server that mounts the dialect elsewhere has what we know under this path. */
  readonly path?: (path: string) => string;
  /** How long to try to resume a run that cannot be reached any more. Default: 30 s. */
  readonly patienceMs?: number;
}

/**
 * Makes an agent of any server that speaks a dialect. A Runcast there is asked for everything it knows, so that a run looks the
 * same as if it were ours: its asks can be answered here, its calls stopped here, and its files are kept here.
 *
 * - What the server answers before its stream refuses the request, in its own words.
 * - A stream that breaks off is resumed where the dialect can follow a run; else, and when patience is at an end, the run ends
 *   with the error `upstream-cut`, which may be tried again. A stream that ends without its end marker has broken off.
 * - Where the dialect's streams end when people are asked, the run goes on with another request, which carries all answers together.
 * - A cancel is said in the dialect's words where it has some; else the connection is closed.
 */
export const http = (options: HttpOptions): Source =>
  async function* (request, context) {
    const remote = createRemote(options, context.signal);
    const connection = createConnection(remote, options, request, context);
    const ids = createOwnIds(context.run);
    const steering = createSteering(remote, connection, context, ids.theirs);
    const decode = decoderOf(options.dialect);
    try {
      const frames = decode.pause ? withPauses(connection.frames(), PAUSE_MS) : connection.frames();
      for await (const frame of frames) {
        for (const decoded of frame ? decode(frame) : (decode.pause?.() ?? [])) {
          // A Runcast has seen to its ids itself.
          const named = connection.isRuncast ? decoded : ids.ours(decoded);
          const adopted = adoptFiles(named, connection, context);
          const event = adopted instanceof Promise ? await adopted : adopted;
          if (event.type === "run-start") {
            const problem = protocolProblem(event.protocol);
            if (problem) throw new Refusal("upstream-protocol", problem.message, { status: 502, hint: problem.hint });
            connection.named(event.run);
          }
          connection.continuation?.observe(decoded, event);
          steering.observe(event);
          yield event;
          if (event.type === "run-end") return;
        }
        yield* steering.notices();
      }
    } catch (error) {
      throw withoutSecrets(error, secretsOf(options, request));
    } finally {
      steering.close();
      remote.close();
    }
  };

/** Frames of one event come closer together than this. */
const PAUSE_MS = 100;

/** What a server says is checked before anybody trusts it. */
const decoderOf = (dialect: Dialect): Decoder => {
  const decode = dialect.decode();
  const checked = (read: () => readonly Event[]): readonly Event[] => {
    try {
      return read().map((event) => eventSchema.parse(event));
    } catch (cause) {
      throw new Refusal("upstream-invalid", `the upstream server sent what is no ${dialect.name}`, {
        status: 502,
        hint: "check that the url's server speaks the dialect",
        cause,
      });
    }
  };
  return Object.assign((frame: Frame) => checked(() => decode(frame)), {
    ...(decode.pause && { pause: () => checked(() => decode.pause?.() ?? []) }),
  });
};
