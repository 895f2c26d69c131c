import type { Content, FileRef, Json, Message, User } from "./events.ts";
import type { RunRequest } from "./source.ts";

/**
 * Something the agent can do. One file, one tool: a schema, and a function that gets the checked input and a context.
 *
 * - `run` is called only with input that fits `input`, and only after its approval, if it needs one.
 * - It must stop soon when `context.signal` aborts. What it returns or throws then is dropped.
 * - What it returns is its result: a string, any JSON value, or `toolResult(...)` for mixed content. `undefined` is an empty result.
 * - A throw ends the call as an error and goes back to the model, which may try something else.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** What people see instead of its name. */
  readonly title?: string;
  readonly description: string;
  /** A zod schema (or any Standard Schema that can also say itself as JSON Schema), or a plain JSON Schema. */
  readonly input: InputSchema<Input>;
  /** The status text while it runs, e.g. "Compiling notes…". */
  readonly doing?: string | ((input: Input) => string);
  /** Whether a person must allow the call first. Default: never. */
  readonly approval?: Approval | ((input: Input) => Approval | Promise<Approval>);
  /** Ends the call as `timeout`. Default: the agent's. */
  readonly timeoutMs?: number;
  /**
   * Whether running it twice does no more than running it once. Only then is a call that was cut by the end of its process run
   * again; otherwise the model is told that it was interrupted. Default: false.
   */
  readonly repeatable?: boolean;
  run(input: Input, context: ToolContext): unknown;
}

export type Approval = "always" | "never";

/** What of a schema library a tool needs: https://standardschema.dev, which zod implements. */
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

/** Identity, for the types: `defineTool({ name, description, input: z.object({ city: z.string() }), run: ({ city }) => … })`. */
export const defineTool = <Input>(tool: Tool<Input>): Tool<Input> => tool;

/**
 * Tools that come and go, or that depend on the request: an agent takes it in its list of tools.
 *
 * - `open` is called when an agent starts to work, `tools` before each of its steps, `close` when it has ended.
 * - A tool that did not change is the same object again: what a person allowed for the run is kept by it.
 * - What cannot be reached for now is left out, with a notice. A throw ends the agent.
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

/** A tool's hold on the UI. Everything it says is an event of its call and is there for every viewer, now and in a replay. */
export interface ToolContext {
  readonly call: string;
  /** Aborts when the call, its agent or the run is cancelled, and when the call times out. */
  readonly signal: AbortSignal;

  /** What goes on now, in a few words; an empty text takes it away. */
  status(text: string): void;
  /** How far it is: a fraction from 0 to 1, a note, a value that replaces the last. */
  progress(progress: { fraction?: number; note?: string; value?: Json }): void;
  /** Live output, as it comes. */
  output(text: string, stream?: "stdout" | "stderr"): void;
  /** Words of its own in the chat; returns a function that appends to them, replaces them, and ends them. */
  say(text: string): ToolText;
  /** A source it used; dates in ISO 8601. */
  cite(source: {
    title?: string;
    url?: string;
    text?: string;
    author?: string;
    published?: string;
    accessed?: string;
  }): void;
  /** A file it made or changed. */
  file(
    file: { name: string; mediaType?: string; change?: "created" | "changed" | "deleted" } & (
      | { bytes: Uint8Array | string }
      | { url: string }
    ),
  ): Promise<void>;
  /** Rich HTML in a sandboxed frame. `id` again replaces it. */
  embed(
    embed: { id?: string; title?: string; origins?: readonly string[] } & ({ html: string } | { url: string }),
  ): void;
  notify(text: string, level?: "info" | "success" | "warning" | "error"): void;
  /** An open slot: `title`, `tags`, `follow-ups`, `todos`, `state`, or a name of your own. */
  data(name: string, value: Json, id?: string): void;

  /** Asks yes or no. False if denied, expired or cancelled. */
  confirm(question: { title: string; message?: string; expiresMs?: number }): Promise<boolean>;
  /** Asks for a value. Null if the person declined, undefined if there was no answer. */
  ask(question: Question): Promise<Json | undefined>;
  /** Has the client run code where it is (in a page: JavaScript), if it allows that. */
  execute(code: string, options?: { expiresMs?: number }): Promise<Json | undefined>;

  /** Starts a sub-agent for this call and resolves with its answer. */
  agent(invocation: { agent?: string; task: string }): Promise<SubagentResult>;
  /** Cancels the run, as a person's Stop would. */
  cancel(reason: string): void;

  readonly user: User | undefined;
  readonly thread: string | undefined;
  readonly run: string;
  /** The conversation as the model sees it now. */
  readonly messages: readonly Message[];
  /** The files that the user's messages carry. */
  readonly files: readonly Extract<Message["content"][number], { type: "file" }>[];
  readonly model: string | undefined;
  readonly metadata: Readonly<Record<string, Json>>;
  readonly settings: Readonly<Record<string, Json>>;
  /** A secret of this request or of the environment; never logged, never shown. */
  credentials(name: string): string | undefined;
  /** Keeps bytes beside the log. */
  put(bytes: Uint8Array | string, file: { mediaType: string; name?: string }): Promise<FileRef>;
}

export interface ToolText {
  (more: string): void;
  /** Says this instead of all that it has said, also after its end: then it goes on. Where nothing can be taken back it stands below. */
  replace(text: string): void;
  end(): void;
}

export interface Question {
  readonly title: string;
  readonly message?: string;
  /** One of these; without them, free input. */
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

/** A result of several parts, or with a structured value beside what is shown. */
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
