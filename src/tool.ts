import type { Content, FileRef, Json, Message, User } from "./events.ts";
import type { RunRequest } from "./source.ts";

/**
 * Something the agent can do: a schema, and a function that receives the checked input and a context. One tool per
 * file.
 *
 * - `run` is called only with input that matches `input`, and only after approval, if it needs one.
 * - It must stop soon when `context.signal` aborts. What it returns or throws after that is dropped.
 * - Its return value is the result: a string, any JSON value, or `toolResult(...)` for mixed content. `undefined` is an
 *   empty result.
 * - A throw ends the call as an error. The model receives the error and may try something else.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** Shown to users instead of the name. */
  readonly title?: string;
  readonly description: string;
  /** A zod schema (or any Standard Schema that can be converted to JSON Schema), or a plain JSON Schema. */
  readonly input: InputSchema<Input>;
  /** The status text while it runs, e.g. "Compiling notes…". */
  readonly doing?: string | ((input: Input) => string);
  /** Whether the user must allow the call first. Default: never. */
  readonly approval?: Approval | ((input: Input) => Approval | Promise<Approval>);
  /** Ends the call as `timeout`. Default: the agent's timeout. */
  readonly timeoutMs?: number;
  /**
   * Whether running it twice has the same effect as running it once. If true, a call that was cut when its process
   * ended runs again. If false, the model learns that the call was interrupted. Default: false.
   */
  readonly repeatable?: boolean;
  run(input: Input, context: ToolContext): unknown;
}

export type Approval = "always" | "never";

/** The part of a schema library that a tool needs: https://standardschema.dev, which zod implements. */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

export type InputSchema<Input> = StandardSchema<Input> | { readonly jsonSchema: Json };

/**
 * Returns the tool unchanged; infers types: `defineTool({ name, description, input: z.object({ city: z.string() }),
 * run: ({ city }) => … })`.
 */
export const defineTool = <Input>(tool: Tool<Input>): Tool<Input> => tool;

/**
 * Tools that come and go, or that depend on the request. Goes into an agent's list of tools.
 *
 * - `open` is called when an agent starts, `tools` before each of its steps, and `close` when the agent has ended.
 * - A tool that did not change must be the same object: approvals for the run are stored per tool object.
 * - Omit tools that cannot be reached for now, and send a notice. A throw ends the agent.
 */
export interface Toolkit {
  open(context: ToolkitContext): OpenToolkit | Promise<OpenToolkit>;
}

export interface OpenToolkit {
  tools(): readonly Tool<any>[] | Promise<readonly Tool<any>[]>;
  close?(): void | Promise<void>;
}

export interface ToolkitContext {
  readonly request: RunRequest;
  /** Aborts when the agent is cancelled. */
  readonly signal: AbortSignal;
  status(text: string): void;
  notify(text: string, level?: "info" | "success" | "warning" | "error"): void;
}

/** Gives a tool access to the UI. Everything it sends becomes an event of its call, visible to every viewer, live and in replays. */
export interface ToolContext {
  readonly call: string;
  /** Aborts when the call, its agent or the run is cancelled, and when the call times out. */
  readonly signal: AbortSignal;

  /** A short text about the current activity. An empty text removes it. */
  status(text: string): void;
  /** The progress so far: a fraction from 0 to 1, a note, and a value that replaces the previous one. */
  progress(progress: { fraction?: number; note?: string; value?: Json }): void;
  /** Live output. */
  output(text: string, stream?: "stdout" | "stderr"): void;
  /** Adds text to the chat. Returns a function that appends to the text, and that can replace or end it. */
  say(text: string): ToolText;
  /** A source that the tool used. Dates are in ISO 8601. */
  cite(source: {
    title?: string;
    url?: string;
    text?: string;
    author?: string;
    published?: string;
    accessed?: string;
  }): void;
  /** A file that the tool created, changed or deleted. */
  file(
    file: { name: string; mediaType?: string; change?: "created" | "changed" | "deleted" } & (
      | { bytes: Uint8Array | string }
      | { url: string }
    ),
  ): Promise<void>;
  /** HTML in a sandboxed frame. Using the same `id` again replaces it. */
  embed(
    embed: { id?: string; title?: string; origins?: readonly string[] } & ({ html: string } | { url: string }),
  ): void;
  notify(text: string, level?: "info" | "success" | "warning" | "error"): void;
  /** Named data for clients: `title`, `tags`, `follow-ups`, `todos`, `state`, or a name of your choice. */
  data(name: string, value: Json, id?: string): void;

  /** Asks a yes/no question. False if denied, expired or cancelled. */
  confirm(question: { title: string; message?: string; expiresMs?: number }): Promise<boolean>;
  /** Asks for a value. Null if the user declined, undefined if there was no answer. */
  ask(question: Question): Promise<Json | undefined>;
  /** Runs code in the client (in a page: JavaScript), if the client allows it. */
  execute(code: string, options?: { expiresMs?: number }): Promise<Json | undefined>;

  /** Starts a sub-agent for this call and resolves with its answer. */
  agent(invocation: { agent?: string; task: string }): Promise<SubagentResult>;
  /** Cancels the run, like the user's Stop button. */
  cancel(reason: string): void;

  readonly user: User | undefined;
  readonly thread: string | undefined;
  readonly run: string;
  /** The conversation as the model currently sees it. */
  readonly messages: readonly Message[];
  /** The files in the user's messages, and the request's documents. */
  readonly files: readonly Extract<Message["content"][number], { type: "file" }>[];
  readonly model: string | undefined;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly settings: Readonly<Record<string, Json>>;
  /** A secret from this request or the environment. Never logged, never shown. */
  credentials(name: string): string | undefined;
  /** Stores bytes alongside the log. */
  put(bytes: Uint8Array | string, file: { mediaType: string; name?: string }): Promise<FileRef>;
}

export interface ToolText {
  (more: string): void;
  /** Replaces all text so far. After `end`, reopens the text. In clients that cannot take text back, the new text appears below. */
  replace(text: string): void;
  end(): void;
}

export interface Question {
  readonly title: string;
  readonly message?: string;
  /** The possible answers. Without them, the user enters a value. */
  readonly options?: readonly { readonly value: Json; readonly label?: string; readonly description?: string }[];
  readonly schema?: Json;
  readonly value?: Json;
  readonly expiresMs?: number;
}

export interface SubagentResult {
  readonly agent: string;
  readonly outcome: "done" | "error" | "cancelled" | "interrupted";
  readonly text: string;
}

/** A result with several parts, or with a structured value in addition to the content shown. */
export class ToolResult {
  readonly content: readonly Content[];
  readonly value: Json | undefined;
  readonly isError: boolean;
  constructor(content: readonly Content[], options: { value?: Json; isError?: boolean } = {}) {
    this.content = content;
    this.value = options.value;
    this.isError = options.isError ?? false;
  }
}

export const toolResult = (
  content: readonly Content[] | string,
  options?: { value?: Json; isError?: boolean },
): ToolResult => new ToolResult(typeof content === "string" ? [{ type: "text", text: content }] : content, options);
