import { createHash } from "node:crypto";
import { z } from "zod";
import { fieldsOf, listOf } from "../json.ts";
import type { Event, EventOf, Json } from "../events.ts";
import { isHandedOver, type Past, Refusal, type RunContext, type RunRequest, type Source } from "../source.ts";
import { mistakes, strictFields } from "../strict-fields.ts";
import { LangGraphConnection } from "./langgraph/connection.ts";
import { Continuation } from "./langgraph/continuation.ts";
import { Decoder } from "./langgraph/decoder.ts";
import { follow } from "./langgraph/follow.ts";
import { type Graph, playGraph } from "./langgraph/in-process.ts";
import { earlierOf } from "./langgraph/past.ts";
import { inputOf } from "./langgraph/prompt.ts";
import { type Start, type Wire, Wire2 } from "./langgraph/wire.ts";
import { Wire1 } from "./langgraph/wire1.ts";
import { secretsOf, withoutSecrets } from "./upstream/refusals.ts";
import { idsOf } from "./upstream/agent-writer.ts";

export interface LangGraphServerOptions {
  /** The address of the LangGraph server, such as `http://127.0.0.1:2024`. */
  readonly url: string;
  /** The name of a graph on that server, or the id of an assistant. */
  readonly assistant: string;
  /** Sent as `x-api-key`. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Settings for each run, such as `{ recursion_limit: 50, configurable: { … } }`. */
  readonly config?: { readonly [key: string]: Json };
  /** How long to retry when the server stops responding. Default: 30 s. */
  readonly retryMs?: number;
}

export interface LangGraphOptions {
  /** A compiled graph of LangGraph.js, or an agent of `langchain` or `deepagents`. */
  readonly graph: Graph;
  /** Settings for each run, such as `{ recursionLimit: 50 }`. */
  readonly config?: { readonly [key: string]: unknown };
}

/**
 * Creates an agent from a graph: one on a LangGraph server, or one in this process.
 *
 * - If the connection breaks or this process dies, a server's run continues there, and is followed again from where it
 *   was.
 * - Every kind of interrupt becomes an ask. LangGraph takes all answers together, so the run continues after the last
 *   one.
 * - A thread is a thread in LangGraph, which stores the conversation, so only the new message is sent.
 */
export const langgraph = (options: LangGraphServerOptions | LangGraphOptions): Source => {
  check(options);
  if ("graph" in options) {
    const { graph, config } = options;
    const source: Source = (request, context) =>
      playGraph(graph, config, threadOf("graph", request, context), request, context);
    return Object.assign(source, { about: { description: "LangGraph graph" } });
  }
  return Object.assign(((request, context) => play(options, request, context)) satisfies Source, {
    about: { description: `LangGraph assistant ${options.assistant}` },
    resume: (request: RunRequest, context: RunContext, past: Past) => play(options, request, context, past),
  });
};

async function* play(
  options: LangGraphServerOptions,
  request: RunRequest,
  context: RunContext,
  past?: Past,
): AsyncGenerator<Event> {
  const connection = new LangGraphConnection(options, threadOf(options.assistant, request, context));
  const stop = (): void => connection.stop();
  context.signal.addEventListener("abort", stop, { once: true });
  let decoder: Decoder | undefined;
  try {
    const log = past && (await earlierOf(past));
    if (past && log?.version !== 2) throw interrupted();
    const start = { assistant: options.assistant, config: options.config, input: null };
    const begun = log
      ? { wire: new Wire2(connection), run: log.run }
      : await begin(connection, start, request, context);
    decoder = new Decoder(idsOf(context.run), begun.run);
    if (!log) yield session(connection, begun);
    const earlier = log && { log, continuation: new Continuation(log) };
    yield* follow({ connection, wire: begun.wire, decoder, context, start, earlier });
    if (!context.signal.aborted && decoder.end) yield { type: "run-end", ...decoder.end } satisfies EventOf<"run-end">;
  } catch (error) {
    if (context.signal.aborted) return;
    throw withoutSecrets(error, secretsOf(options, request));
  } finally {
    context.signal.removeEventListener("abort", stop);
    connection.stop();
    // A run without a reader must not continue on the server.
    if (decoder && !decoder.end && !isHandedOver(context.signal)) await connection.cancel(decoder.run);
  }
}

/** Starts a run with the newest version of the protocol that works. */
const begin = async (
  connection: LangGraphConnection,
  start: Omit<Start, "input">,
  request: RunRequest,
  context: RunContext,
): Promise<{ readonly wire: Wire; readonly run: string }> => {
  await connection.ensureThread();
  const state = request.thread === undefined ? undefined : await connection.ask(`${connection.path}/state`);
  const known = listOf(fieldsOf(state?.["values"])["messages"]);
  const input = await inputOf(request, known, context);
  const isLeft = known.length > 0 && (await wasLeft(connection));
  if (!isLeft) {
    const wire = new Wire2(connection);
    try {
      return { wire, run: await wire.start({ ...start, input }) };
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
    }
  }
  const wire = new Wire1(connection);
  return { wire, run: await wire.start({ ...start, input }) };
};

/** Whether the last run of the thread was stopped, or waits for an answer that will never come. */
const wasLeft = async (connection: LangGraphConnection): Promise<boolean> => {
  const { status } = (await connection.ask(connection.path)) ?? {};
  if (status === "interrupted") return true;
  const [last] = await connection.list(`${connection.path}/runs?limit=1`);
  return fieldsOf(last)["status"] === "interrupted";
};

const session = (
  { thread }: LangGraphConnection,
  { wire, run }: { readonly wire: Wire; readonly run: string },
): Event => ({
  type: "data",
  name: "session",
  value: { id: thread },
  meta: { langgraph: { run, version: wire.version } },
});

const interrupted = (): Refusal =>
  new Refusal("interrupted", "The run cannot be followed again from its beginning.", { retryable: true });

/**
 * LangGraph's thread ids are UUIDs. The same thread has the same id in every process. Users never share one, even if
 * they use the same thread name.
 */
const threadOf = (assistant: string, { thread, user }: RunRequest, { run }: RunContext): string => {
  const parts = thread === undefined ? ["run", run] : ["thread", thread, user?.id ?? null];
  const hash = createHash("sha256")
    .update(JSON.stringify([assistant, ...parts]))
    .digest("hex");
  const variant = ((Number.parseInt(hash[16]!, 16) & 3) | 8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join("-");
};

const text = z.string({ error: "must be a string" }).min(1, { error: "must not be empty" });
const settings = z.record(z.string(), z.unknown(), { error: "must be an object" }).optional();
const serverSchema = strictFields(
  {
    url: z.url({ error: "must be a URL" }),
    assistant: text,
    key: text.optional(),
    headers: z.record(text, z.string(), { error: "must be names and values" }).optional(),
    config: settings,
    retryMs: z.int({ error: "must be a whole number of milliseconds" }).nonnegative().optional(),
  },
  { word: "option", expected: "an object" },
);
const isGraph = (value: unknown): boolean =>
  typeof (value as { streamEvents?: unknown } | null | undefined)?.streamEvents === "function";
const graphSchema = strictFields(
  { graph: z.custom(isGraph, { error: "must be a compiled graph" }), config: settings },
  { word: "option", expected: "an object" },
);

const check = (options: LangGraphServerOptions | LangGraphOptions): void => {
  const isInProcess = typeof options === "object" && options !== null && "graph" in options;
  const { error } = (isInProcess ? graphSchema : serverSchema).safeParse(options);
  if (!error) return;
  throw new TypeError(
    mistakes(error, "its options")
      .map((one) => `langgraph: ${one}`)
      .join("\n"),
  );
};
