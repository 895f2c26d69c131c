import { z } from "zod";
import {
  type Answer,
  type AskOutcome,
  type Entry,
  type Event,
  type FileRef,
  messageSchema,
  userSchema,
} from "./events.ts";
import { RUN_ID, RUN_ID_RULE } from "./run-id.ts";
import type { RunState } from "./state.ts";

/**
 * Turns one request into events. What it need not do: number, stamp, store, write run-start or run-end, or close what is
 * open. It may simply stop or throw: the runner closes everything from the inside out.
 *
 * - A throw before the first event refuses the request (throw a `Refusal` to choose the HTTP status); after it, the run
 *   ends with an error.
 * - A `run-start` it yields first only says `name`, `model` and `meta`; a `run-end` it yields says outcome, error, usage, answer
 *   and awaiting. Ids of run and thread are the runner's.
 * - What it has yielded is no longer its own: an event that is changed afterwards changes the log.
 * - Ids may repeat (providers do that): the runner renames them.
 * - Every event of a sub-agent carries `agent`.
 * - When `context.signal` aborts, it must stop soon; what it still yields is dropped after a grace period.
 */
export interface Source {
  (request: RunRequest, context: RunContext): AsyncIterable<Event>;
  /** What clients are told about it. A plain generator function has none; `describeAgent` adds it. */
  readonly about?: AgentFacts;
  /**
   * Continues a run whose process is gone. What was cut is closed by then: open text and thinking ended `cut`, the open step
   * and executing calls `interrupted`. Still open are calls that were requested but did not execute, with their approvals
   * (`context.answerTo` takes their ids), and sub-agents with the calls that wait for them. Ids are those of the log.
   * `request` is as it was, without secrets. A source without `resume` ends `interrupted`.
   */
  readonly resume?: (request: RunRequest, context: RunContext, past: Past) => AsyncIterable<Event>;
  /**
   * It passes on a run that goes on elsewhere, whether this process lives or not: nothing is cut. What was open is open when `resume`
   * is called, there is no run-resume, and the run may change its process at any time. `resume` needs no secrets.
   */
  readonly follows?: true;
  /** Rejects if every run would be refused as things are, such as for a key that is not set. Asks nobody over the network. */
  readonly ready?: () => Promise<void>;
  /** What is kept out of the log of its runs; asked once a run. `redactAgent` adds it. A source with it has no `resume`. */
  readonly redaction?: () => Redactor;
}

/**
 * Removes what must not be stored from everything that is stored of one run. The source and its tools work with the originals. Ids, names of
 * tools and agents, and who the run belongs to stay as they are.
 */
export interface Redactor {
  /** What a source says, each text held back where it may be the beginning of what is removed. */
  events(events: AsyncIterable<Event>): AsyncIterable<Event>;
  /** An event that the runner writes itself. */
  event(event: Event): Event;
  request(request: RunRequest): Promise<RunRequest>;
  /** Files that are text. */
  bytes(bytes: Uint8Array | string, mediaType: string): Promise<Uint8Array>;
  /** Says how much was removed; undefined if nothing was. */
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
 * Whether a run's signal aborts because another process goes on with the run, or may: what happens elsewhere for it must not be
 * stopped.
 */
export const isHandedOver = ({ reason }: AbortSignal): boolean =>
  (reason as { code?: unknown } | undefined)?.code === HANDED_OVER.code;
export const HANDED_OVER = { code: "handed-over", message: "another process goes on with this run" } as const;

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

/** What is known about an agent before a run. Its name is the key that it is configured under. */
export const agentFactsSchema = z.strictObject(
  {
    description: name.optional(),
    model: name.optional(),
    models: names.optional().describe("other models that a request may name"),
    accepts: names
      .optional()
      .describe("media types of the files that its model reads, besides text; absent: nobody knows"),
    modes: names.optional().describe("what a request may name as its mode"),
    suggestions: names.optional().describe("messages that show what it can do"),
    tools: z.array(toolFactsSchema, { error: "must be a list of tools" }).readonly().optional(),
  },
  { error: "must be an object of facts" },
);
export type AgentFacts = Readonly<z.infer<typeof agentFactsSchema>>;
export type NamedAgent = AgentFacts & { readonly name: string };

/** The same source with these facts; what they leave out stays as the source says it. */
export const describeAgent = (source: Source, facts: AgentFacts): Source =>
  Object.assign(source.bind(undefined), source, { about: { ...source.about, ...facts } });

export interface RunContext {
  readonly run: string;
  /** The name that the agent is configured under. */
  readonly agent: string;
  /** Aborts when the run is cancelled, times out or the server stops; `reason` is a Problem. */
  readonly signal: AbortSignal;
  /** Aborts when this call or sub-agent (by the id the source gave it) is cancelled, or with the run. */
  signalOf(kind: "call" | "agent", id: string): AbortSignal;
  /**
   * Waits for the end of an ask that the source has yielded. The runner writes the ask-end, before it resolves, for an
   * answer, an expiry or a cancel; a source that learns the end elsewhere yields the ask-end itself. Never rejects.
   */
  answerTo(ask: string): Promise<{ readonly outcome: AskOutcome; readonly answer?: Answer; readonly by?: string }>;
  /**
   * Resolves when everything taken from the source so far is stored. Await it before acting on the world, such as running a
   * tool: a process that lost the run to another can store nothing. Rejects then, and when the log fails.
   */
  stored(): Promise<void>;
  /** Keeps bytes beside the log. */
  put(bytes: Uint8Array | string, file: { mediaType: string; name?: string }): Promise<FileRef>;
  /** Bytes that this run keeps beside its log; undefined if it has no such file. */
  get(file: string): Promise<Uint8Array | undefined>;
}

/** A tool that the client runs: its call ends as `deferred`, its result comes with the next request. */
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
  agent: z.string().min(1).optional(),
  messages: z.array(messageSchema).min(1),
  system: z.string().optional(),
  model: z.string().min(1).optional(),
  mode: z.string().min(1).optional(),
  settings: z.record(z.string(), z.json()).optional(),
  tools: z.array(clientToolSchema).optional(),
  servers: z.array(mcpServerSchema).optional(),
  user: userSchema.optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});
/** `secrets` are named like environment variables, never come in a body, only by header, and are never stored. */
export type RunRequest = z.infer<typeof runRequestSchema> & { readonly secrets?: Readonly<Record<string, string>> };

/** An exception that becomes an HTTP answer, if it is thrown before the first event, and the run's error after it. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  /** Answered as a stream that says it and ends, for a client that shows nothing else of it. */
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
