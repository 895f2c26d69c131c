import { z } from "zod";
import { type Answer, type AskOutcome, type Event, type FileRef, messageSchema, userSchema } from "./events.ts";

/**
 * Turns one request into events. What it need not do: number, stamp, store, write run-start or run-end, or close what is
 * open. It may simply stop or throw: the runner closes everything from the inside out.
 *
 * - A throw before the first event refuses the request (throw a `Refusal` to choose the HTTP status); after it, the run
 *   ends with an error.
 * - A `run-start` it yields first only says `name` and `model`; a `run-end` it yields says outcome, error, usage, answer
 *   and awaiting. Ids of run and thread are the runner's.
 * - What it has yielded is no longer its own: an event that is changed afterwards changes the log.
 * - Ids may repeat (providers do that): the runner renames them.
 * - Every event of a sub-agent carries `agent`.
 * - When `context.signal` aborts, it must stop soon; what it still yields is dropped after a grace period.
 */
export type Source = (request: RunRequest, context: RunContext) => AsyncIterable<Event>;

export interface RunContext {
  readonly run: string;
  /** Aborts when the run is cancelled, times out or the server stops; `reason` is a Problem. */
  readonly signal: AbortSignal;
  /** Aborts when this call or sub-agent (by the id the source gave it) is cancelled, or with the run. */
  signalOf(kind: "call" | "agent", id: string): AbortSignal;
  /**
   * Waits for the end of an ask that the source has yielded. The runner writes the ask-end, before it resolves, for an
   * answer, an expiry or a cancel; a source that learns the end elsewhere yields the ask-end itself. Never rejects.
   */
  answerTo(ask: string): Promise<{ readonly outcome: AskOutcome; readonly answer?: Answer; readonly by?: string }>;
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
  run: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 letters, digits, - or _")
    .optional(),
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
  constructor(
    code: string,
    message: string,
    {
      status = 400,
      retryable = false,
      hint,
      cause,
    }: { status?: number; retryable?: boolean; hint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = "Refusal";
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.hint = hint;
  }
}
