import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Event, EventOf } from "../events.ts";
import { isHandedOver, type Past, Refusal, type RunContext, type RunRequest, type Source } from "../source.ts";
import { mistakes, strictFields } from "../strict-fields.ts";
import { Decoder } from "./agno/decoder.ts";
import { pastOf } from "./agno/past.ts";
import { promptOf } from "./agno/prompt.ts";
import { AgnoServer, type AgnoTarget } from "./agno/server.ts";
import { follow } from "./agno/follow.ts";
import { secretsOf, withoutSecrets } from "./upstream/refusals.ts";
import { idsOf } from "./upstream/agent-writer.ts";

export interface AgnoOptions {
  /** The address of the AgentOS, such as `http://127.0.0.1:7777`. */
  readonly url: string;
  /** The id of the agent, team or workflow on that server. Set exactly one of the three. */
  readonly agent?: string;
  readonly team?: string;
  readonly workflow?: string;
  /** Sent as a Bearer token. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The id of a thread's session. `thread` is the thread's own id, for sessions that other clients of the AgentOS know.
   * AgentOS then refuses a user who names another user's thread. Default: `user:thread`.
   */
  readonly session?: "user:thread" | "thread";
  /** How long to retry when the server stops responding. Default: 30 s. */
  readonly retryMs?: number;
}

/**
 * Creates an agent from an agent, team or workflow of Agno's AgentOS.
 *
 * - If the connection breaks, the run continues on the server and is followed again. That requires a database on the
 *   server. Without one, a broken connection ends the run.
 * - Every kind of pause becomes an ask. Agno takes all answers together, so the run continues after the last one.
 * - A thread is a session on the server. AgentOS stores the conversation, so only the last message is sent.
 * - Tools find the user and the thread in `run_context.dependencies`, as `user_id` and `chat_id`.
 */
export const agno = (options: AgnoOptions): Source => {
  const target = targetOf(options);

  const play = async function* (request: RunRequest, context: RunContext, past?: Past): AsyncGenerator<Event> {
    const decoder = new Decoder(idsOf(context.run, past?.state.seq));
    const server = new AgnoServer(options, target, sessionOf(request, context, options.session));
    const stop = (): void => server.stop();
    context.signal.addEventListener("abort", stop, { once: true });
    try {
      const earlier = past && (await pastOf(past));
      if (past && !earlier) throw interrupted();
      server.run = earlier?.run ?? randomUUID();
      if (earlier) decoder.restore(earlier, earlier.events);
      const first = earlier ? undefined : await server.start(await promptOf(request, server, context));
      yield* follow({ server, decoder, context, target, skip: earlier?.skip ?? 0 }, first);
      if (!context.signal.aborted && decoder.end) yield endOf(decoder.end);
    } catch (error) {
      if (context.signal.aborted) return;
      throw withoutSecrets(error, secretsOf(options, request));
    } finally {
      context.signal.removeEventListener("abort", stop);
      // A run without a reader must not continue on the server.
      if (!decoder.end && !isHandedOver(context.signal)) await server.cancel();
      server.close();
    }
  };
  const about = { description: `Agno ${target.kind} ${target.id}` };
  return Object.assign(((request, context) => play(request, context)) satisfies Source, {
    about,
    resume: (request: RunRequest, context: RunContext, past: Past) => play(request, context, past),
  });
};

const endOf = ({ outcome, error }: NonNullable<Decoder["end"]>): EventOf<"run-end"> => ({
  type: "run-end",
  outcome,
  ...(error && { error }),
});

const interrupted = (): Refusal =>
  new Refusal("interrupted", "The run stopped before the server sent its name.", { retryable: true });

const sessionOf = ({ thread, user }: RunRequest, { run }: RunContext, session: AgnoOptions["session"]) => ({
  id: thread === undefined ? run : bounded(session === "thread" ? thread : sessionIdOf(thread, user?.id)),
  isNew: thread === undefined,
  user: user?.id,
  thread,
});

/** Agno stores ids of up to this length in MySQL. */
const LONGEST_ID = 128;

/** With this id, users never share a session, whatever they are called and whatever threads they name. */
const sessionIdOf = (thread: string, user: string | undefined): string => {
  // Without a user, a thread with a colon would be another user's session.
  const owner = user?.replace(/[%:]/g, encodeURIComponent) ?? "";
  return user === undefined && !thread.includes(":") ? thread : `${owner}:${thread}`;
};

const bounded = (id: string): string =>
  id.length <= LONGEST_ID ? id : `:${createHash("sha256").update(id).digest("hex")}`;

const text = z.string({ error: "must be a string" }).min(1, { error: "must not be empty" });
const optionsSchema = strictFields(
  {
    url: z.url({ error: "must be a URL" }),
    agent: text.optional(),
    team: text.optional(),
    workflow: text.optional(),
    key: text.optional(),
    headers: z.record(text, z.string(), { error: "must be names and values" }).optional(),
    session: z.enum(["user:thread", "thread"], { error: "must be user:thread or thread" }).optional(),
    retryMs: z.int({ error: "must be a whole number of milliseconds" }).nonnegative().optional(),
  },
  { word: "option", expected: "an object" },
);

const targetOf = (options: AgnoOptions): AgnoTarget => {
  const { error } = optionsSchema.safeParse(options);
  const wrong = error ? mistakes(error, "its options") : [];
  const named = (["agent", "team", "workflow"] as const).flatMap((kind) => {
    const id = options?.[kind];
    return id === undefined ? [] : [{ kind, id }];
  });
  if (!error && named.length !== 1) wrong.push("needs one of agent, team and workflow");
  if (wrong.length > 0) throw new TypeError(wrong.map((one) => `agno: ${one}`).join("\n"));
  return named[0]!;
};
