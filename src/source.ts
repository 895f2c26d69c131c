import { z } from "zod";
import {
  type Answer,
  type AskOutcome,
  type Entry,
  type Event,
  type FileRef,
  filePartSchema,
  messageSchema,
  userSchema,
} from "./events.ts";
import type { Prices } from "./prices.ts";
import { RUN_ID, RUN_ID_RULE } from "./run-id.ts";
import type { RunState } from "./state.ts";

/**
 * Turns one request into events. It does not need to number, timestamp or store events, write run-start or run-end, or
 * close open items. It may return or throw at any point: the runner closes everything from the inside out.
 *
 * - A throw before the first event refuses the request (throw a `Refusal` to choose the HTTP status). After it, the run
 *   ends with an error.
 * - A `run-start` that it yields first only supplies `name`, `model` and `meta`. A `run-end` that it yields supplies
 *   outcome, error, usage, answer and awaiting. The runner assigns run and thread ids.
 * - It must not change an event after yielding it, because that would change the log.
 * - Ids may repeat, as some providers' do: the runner renames them.
 * - Every event of a sub-agent carries `agent`.
 * - When `context.signal` aborts, it must stop soon. Events that it yields after the grace period are dropped.
 */
export interface Source {
  (request: RunRequest, context: RunContext): AsyncIterable<Event>;
  /** The facts that clients see. A plain generator function has none; add them with `describeAgent`. */
  readonly about?: AgentFacts;
  /**
   * Continues a run whose process is gone. Interrupted items are already closed: open text and thinking as `cut`, the
   * open step and executing calls as `interrupted`. Still open are calls that were requested but not executed, with
   * their approvals (pass their ids to `context.answerTo`), and sub-agents with the calls that wait for them. Ids are
   * those of the log. `request` is the original one without secrets. Runs of a source without `resume` end as
   * `interrupted`.
   */
  readonly resume?: (request: RunRequest, context: RunContext, past: Past) => AsyncIterable<Event>;
  /**
   * The source follows a run on another server, which continues even if this process dies, so nothing is cut. Open
   * items are still open when `resume` is called, there is no run-resume, and the run may move to another process at
   * any time. `resume` needs no secrets.
   */
  readonly follows?: true;
  /** Rejects if every run would currently be refused, for example because a key is not set. Makes no network requests. */
  readonly ready?: () => Promise<void>;
  /** The keys that its models need and this process does not have. Makes no network requests. */
  readonly missingKeys?: () => Promise<readonly MissingKey[]>;
  /** As `about.accepts`, for a source that learns it only later. Makes no network requests. */
  readonly accepts?: () => Promise<readonly string[] | undefined>;
  /** Redacts the log of its runs. Called once per run. Set by `redactAgent`. A source with it has no `resume`. */
  readonly redaction?: () => Redactor;
}

/**
 * Removes sensitive text from everything stored for one run. The source and its tools work with the originals. Ids,
 * tool and agent names, and the run's user are not redacted.
 */
export interface Redactor {
  /** The events of a source. Holds text back while it may be the beginning of something to remove. */
  events(events: AsyncIterable<Event>): AsyncIterable<Event>;
  /** An event that the runner creates. */
  event(event: Event): Event;
  request(request: RunRequest): Promise<RunRequest>;
  /** Redacts text files. */
  bytes(bytes: Uint8Array | string, mediaType: string): Promise<Uint8Array>;
  /** A notice of how much was removed, or undefined if nothing was. */
  notice(): Event | undefined;
}

/** What happened before a run was taken over, up to and including its run-resume, if it has one. */
export interface Past {
  entries(): AsyncIterable<readonly Entry[]>;
  readonly state: RunState;
}

const name = z.string({ error: "must be a string" }).min(1, { error: "must not be empty" });
const names = z.array(name, { error: "must be a list of strings" }).readonly();

/**
 * Whether a run's signal aborted because another process continues the run, or may. In that case, do not stop work that
 * happens on other servers for it.
 */
export const isHandedOver = ({ reason }: AbortSignal): boolean =>
  (reason as { code?: unknown } | undefined)?.code === HANDED_OVER.code;
export const HANDED_OVER = { code: "handed-over", message: "another process continues this run" } as const;

/** What is known about a tool before a run. */
export const toolFactsSchema = z.strictObject(
  {
    name,
    description: z.string({ error: "must be a string" }).optional(),
    schema: z.unknown().optional().describe("JSON Schema of the input"),
  },
  { error: "must be an object with a name" },
);
export type ToolFacts = z.infer<typeof toolFactsSchema>;

/** What is known about an agent before a run. Its name is the key under which it is configured. */
export const agentFactsSchema = z.strictObject(
  {
    description: name.optional(),
    model: name.optional(),
    models: names.optional().describe("other models that a request may name"),
    accepts: names.optional().describe("media types of the files that its model reads, besides text; absent: unknown"),
    modes: names.optional().describe("what a request may name as its mode"),
    continues: z
      .boolean({ error: "must be true or false" })
      .optional()
      .describe("whether it can continue a failed run from the calls and results in a request's messages"),
    suggestions: names.optional().describe("messages that show what it can do"),
    tools: z.array(toolFactsSchema, { error: "must be a list of tools" }).readonly().optional(),
  },
  { error: "must be an object" },
);
export type AgentFacts = Readonly<z.infer<typeof agentFactsSchema>>;
/** A key that a model needs and the server does not have. A request can contain it as a secret. */
export interface MissingKey {
  /** The environment variable that the server looks in. The secret has the same name. */
  readonly variable: string;
  readonly model: string;
  /** The sub-agent whose model it is. Absent: a model of the agent itself. */
  readonly subagent?: string;
}
export type NamedAgent = AgentFacts & { readonly name: string; readonly missingKeys?: readonly MissingKey[] };

/** Returns the same source with these facts. Facts that are omitted keep the source's own values. */
export const describeAgent = (source: Source, facts: AgentFacts): Source =>
  Object.assign(source.bind(undefined), source, { about: { ...source.about, ...facts } });

export interface RunContext {
  readonly run: string;
  /** The name under which the agent is configured. */
  readonly agent: string;
  /** Aborts when the run is cancelled or times out, or when the server stops. `reason` is a Problem. */
  readonly signal: AbortSignal;
  /** Aborts when this call or sub-agent (by the source's id) is cancelled, or when the run aborts. */
  signalOf(kind: "call" | "agent", id: string): AbortSignal;
  /**
   * Waits for the end of an ask that the source has yielded. On an answer, an expiry or a cancel, the runner writes the
   * ask-end before this resolves. A source that learns the end elsewhere yields the ask-end. Never rejects.
   */
  answerTo(ask: string): Promise<{ readonly outcome: AskOutcome; readonly answer?: Answer; readonly by?: string }>;
  /**
   * Whether a user has revoked the permission that this ask gave. A source that remembers `always` announces it with
   * `data` named `allowed` (PROTOCOL.md, "Asks"), once per ask, and then asks this before each use.
   */
  isRevoked(ask: string): boolean;
  /**
   * Resolves when everything read from the source so far is stored. Await it before any side effect, such as running a
   * tool: it rejects if this process has lost the run to another, and if the log fails.
   */
  stored(): Promise<void>;
  /** Stores bytes alongside the log. */
  put(bytes: Uint8Array | string, file: { mediaType: string; name?: string }): Promise<FileRef>;
  /** Bytes that this run stored alongside its log. Undefined if there is no such file. */
  get(file: string): Promise<Uint8Array | undefined>;
  /**
   * The configured prices. The runner applies them to usage without a cost, by the model that the events name. A source
   * that knows more names of its models applies them itself.
   */
  readonly prices?: Prices;
}

/** A tool that the client runs. Its call ends as `deferred`, and its result comes with the next request. */
export const clientToolSchema = z.object({
  name: z.string().min(1),
  description: z.string().optional(),
  schema: z.json().optional().describe("JSON Schema of the input"),
});
export type ClientTool = z.infer<typeof clientToolSchema>;

export const mcpServerSchema = z.object({ name: z.string().min(1), url: z.url(), enabled: z.boolean().optional() });
export type McpServer = z.infer<typeof mcpServerSchema>;

export const runRequestSchema = z.object({
  run: z.string().regex(RUN_ID, RUN_ID_RULE).optional(),
  thread: z.string().min(1).max(256).optional(),
  previous: z
    .string()
    .regex(RUN_ID, RUN_ID_RULE)
    .nullable()
    .optional()
    .describe("the run that this one continues; null at the start of a conversation. Only recorded"),
  agent: z.string().min(1).optional(),
  messages: z.array(messageSchema).min(1),
  files: z.array(filePartSchema).optional().describe("documents for the agent's tools, which the model does not get"),
  system: z.string().optional(),
  model: z.string().min(1).optional(),
  mode: z.string().min(1).optional(),
  settings: z.record(z.string(), z.json()).optional(),
  tools: z.array(clientToolSchema).optional(),
  servers: z.array(mcpServerSchema).optional(),
  user: userSchema.optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});
/** `secrets` are named like environment variables. They come only from headers, never from a body, and are never stored. */
export type RunRequest = z.infer<typeof runRequestSchema> & { readonly secrets?: Readonly<Record<string, string>> };

/** An exception that becomes an HTTP response if thrown before the first event, and the run's error after it. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  /** Respond with a stream that contains the error, for clients that do not show error responses. */
  readonly inStream: boolean;
  constructor(
    code: string,
    message: string,
    {
      status = 400,
      retryable = false,
      hint,
      cause,
      inStream = false,
    }: { status?: number; retryable?: boolean; hint?: string; cause?: unknown; inStream?: boolean } = {},
  ) {
    super(message, { cause });
    this.name = "Refusal";
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.hint = hint;
    this.inStream = inStream;
  }
}
