import type { Answer, Entry, Event, EventType, FileRef, Json, Message, Problem, User } from "./events.ts";
import type { Given } from "./protocol.ts";
import type { MissingKey, NamedAgent, RunRequest, ToolFacts } from "./source.ts";

/**
 * Translates between our protocol and one family of clients: their requests into commands, our events into their
 * frames, and both ways back.
 *
 * Every variant guarantees:
 * - `encode` and `decode` are pure. Their output depends only on the entries (or frames) so far, never on time or on
 *   the viewer, so every viewer and every replay gets the same frames.
 * - `encode` is flat: the cost of a frame depends only on its entry, unless `coverage` states otherwise.
 * - With extensions on, decode(encode(log)) equals the log. The extension slot never repeats what the native format carries.
 */
export interface Dialect {
  readonly name: string;
  readonly contentType: string;
  /** Sent with every stream of this dialect. */
  readonly headers: Readonly<Record<string, string>>;
  readonly routes: readonly Route[];

  /** Turns a request to one of the routes into a command. Throws a Refusal if the request is invalid. */
  read(route: Route, request: DialectRequest): Command;
  /** The user that a front end of this family claims to act for in its headers. Trusted only for keys with `onBehalf`. */
  user?(headers: Headers): User | undefined;
  /** The inverse of `read`: the request that a client of this family sends for a command. */
  write(command: Command): { method: string; path: string; headers: Record<string, string>; body?: string };

  encode(options: EncodeOptions): (entry: Entry) => readonly Frame[];
  /** The same frames as text, identical to `frameText` (sse.ts). For dialects that can produce the text more cheaply. */
  encodeText?(options: EncodeOptions): (entry: Entry) => string;
  /** The encoder's frames depend only on the current entry, so it need not be fed entries that the viewer already has. */
  readonly stateless?: true;
  /** The whole state at `seq`, in place of the entries up to it. Without this, a dialect cannot start from a snapshot. */
  snapshot?(seq: number, state: unknown): readonly Frame[];
  decode(): Decoder;
  /** A single response instead of a stream, for commands with `whole`. Takes entries like an encoder, then returns the body. */
  answer?(options: EncodeOptions): { take(entry: Entry): void; body(): WholeAnswer };

  /** Heartbeats are not events: they carry no id and are sent regardless of what the run is doing. */
  readonly heartbeat: {
    readonly everyMs: number;
    frames(waiting: Waiting): readonly Frame[];
    /** Sent as an SSE comment if `frames` returns none, for formats without a frame to use as a heartbeat. */
    readonly comment?: string;
  };
  /** The response to a request that is refused before the first event. */
  refuse(problem: Problem & { status: number }): { status: number; headers?: Record<string, string>; body: string };

  /**
   * Merges neighboring deltas of one part (or of one call and stream) into one entry before encoding if their `at` falls
   * into the same window of this many milliseconds. The merged entry has the seq and `at` of the last delta. Windows
   * follow the log's times, so every viewer and every replay gets the same frames. A window with more than about 32 KiB
   * of text becomes several entries. An encoder must not assume that the previous entry's seq is `seq - 1`.
   */
  readonly windowMs?: number;
  /** Results of up to this many bytes are put back into the entry before it is encoded. */
  readonly wholeBytes?: number;
  /**
   * Streams end with each segment of the run (see segments.ts), and answers arrive with the thread's next request: see
   * `answers` of the `start` command. A new message for a thread whose run has open asks is refused.
   */
  readonly segments?: true;
  /** `cancel`: closing the connection that started the run cancels it, unless another viewer follows it in this dialect. */
  readonly disconnect: "continue" | "cancel";
  /** How its clients can answer an ask. */
  readonly asks: "inline" | "next-request" | "link";
  readonly coverage: Coverage;
}

/** Turns a stream's frames into events, one frame at a time. */
export interface Decoder {
  (frame: Frame): readonly Event[];
  /**
   * For families that complete an event in a later frame: returns the pending event with what is known so far. Called
   * when no frame has arrived for a while.
   */
  pause?(): readonly Event[];
}

/**
 * How much of each event a dialect carries. `full`: the family's own format carries all of it. `extended`: the format
 * carries part of it and an extension the rest. A `Loss` gives the reason why nothing is carried.
 */
export type Coverage = Readonly<Record<EventType, "full" | "extended" | Loss>>;

export interface Loss {
  readonly loses: string;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One SSE frame. `id` is the cursor after it; frames without an id are not resumable points. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

export interface Route {
  readonly method: "GET" | "POST";
  /** `:name` matches one segment. */
  readonly path: string;
  readonly does: Command["do"];
  /** Decides between two dialects on the same path: the one whose `when` returns true handles the request. */
  readonly when?: (headers: Headers) => boolean;
  /**
   * For clients that display only streams: a refusal is sent as a stream that gives the reason and ends. Refusals of
   * access (401, 403) and of limits (413, 429) keep their status.
   */
  readonly refusesInStream?: true;
  /** A one-line summary and the JSON Schema of the body, for the server's OpenAPI document. */
  readonly summary?: string;
  readonly body?: () => unknown;
}

export interface DialectRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The parsed JSON body; undefined if there was none. */
  readonly body: unknown;
}

export type Command =
  | {
      readonly do: "start";
      readonly request: RunRequest;
      /** Respond immediately with the run's id instead of its stream. */
      readonly detached?: boolean;
      readonly style?: string;
      readonly extensions?: boolean;
      readonly disconnect?: Dialect["disconnect"];
      /** Respond once instead of streaming: `end` after the run has ended, `now` immediately with the current state. */
      readonly whole?: "end" | "now";
      /** The run whose messages and output precede this request's messages. A thread may not have one yet. */
      readonly continues?: RunRef;
      /**
       * Answers to open asks of a run of the request's thread. They start no new run: the asks select the run and the segment,
       * and the response begins with the next segment. Asks that were answered elsewhere in the meantime keep that answer.
       */
      readonly answers?: readonly AskAnswer[];
    }
  | {
      readonly do: "follow";
      readonly run: RunRef;
      readonly after: Cursor;
      /** The time of the entry `after.seq`, if the client knows it. Refused if the log has another entry there by now. */
      readonly at?: number;
      /**
       * `segment` begins with the run's current segment, `run` with the run's first entry. Both ignore `after` and end
       * with the current segment.
       */
      readonly from?: "snapshot" | "segment" | "run";
      /** Responds with this status and no body if the run does not exist, instead of refusing. */
      readonly ifNone?: 200 | 204;
      readonly style?: string;
      readonly extensions?: boolean;
      readonly whole?: "end" | "now";
      /** Passes the run's request to the encoder, for clients that store no messages themselves. */
      readonly withRequest?: true;
      /** Also passes what a run that has ended added to the conversation. */
      readonly withAnswer?: true;
      /** The number of frames, counted from the run's first, that the client already has. For formats that number their frames. */
      readonly skipFrames?: number;
    }
  | { readonly do: "answer"; readonly run: RunRef; readonly ask: string; readonly answer: Given }
  | {
      readonly do: "cancel";
      readonly run: RunRef;
      readonly agent?: string;
      readonly call?: string;
      readonly reason?: string;
      /** Respond with the current state of the run once it is cancelled. */
      readonly whole?: "now";
    }
  /** Sends the returned (or resolved) value as JSON. A thrown error refuses the request. */
  | { readonly do: "reply"; readonly reply: (facts: ServerFacts) => unknown };

/**
 * A run by its id, or the latest run of a thread. The latter considers only the caller's own runs, and only those of
 * the addressed agent if one is named. With `open`, runs that have ended are ignored.
 */
export type RunRef = string | { readonly thread: string; readonly agent?: string; readonly open?: true };

export interface AskAnswer {
  readonly ask: string;
  readonly answer: Answer;
  /** The call that the ask is about, for families that answer a call instead of an ask. */
  readonly call?: string;
}

/** A viewer's position: all entries up to `seq`, and the first `frame` frames of the next one. Written `seq` or `seq.frame`. */
export interface Cursor {
  readonly seq: number;
  readonly frame: number;
}

/** Server facts available to a plain reply. */
export interface ServerFacts {
  readonly agents: readonly NamedAgent[];
  /** The keys that an agent's models need and the server does not have. */
  readonly missingKeys?: (agent: string) => Promise<readonly MissingKey[]>;
  /** The media types of the files that an agent's model reads. Undefined if unknown. */
  readonly accepts?: (agent: string) => Promise<readonly string[] | undefined>;
  /** Handles requests that name no agent. */
  readonly defaultAgent?: string;
  readonly version: string;
  /** The values in the data slots of a thread's latest run, by name. */
  readonly latestData?: (thread: string) => Promise<ReadonlyMap<string, Json | undefined>>;
  /** The page that a run embeds under this id. Rejects with a Refusal if the caller may not watch the run. */
  readonly embed?: (
    run: string,
    embed: string,
  ) => Promise<{ readonly html: string } | { readonly url: string } | undefined>;
  /** Connects to an MCP server and returns its tools. Rejects with an error that gives the reason if it cannot connect. */
  readonly validateServer?: (server: { readonly url: string; readonly key?: string }) => Promise<readonly ToolFacts[]>;
}

/** A reply that is not JSON. Sent as plain text, so nothing in it can execute on the server's origin. */
export class TextReply {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export interface EncodeOptions {
  readonly style?: string;
  readonly extensions?: boolean;
  /** The request that started the run, if the command asks for it. */
  readonly request?: Pick<RunRequest, "messages" | "metadata">;
  /** What the run added to the conversation, if the command asks for it and the run has ended. */
  readonly answer?: readonly Message[];
  /** A URL where this client can fetch a file stored alongside the log. */
  readonly link: (ref: Pick<FileRef, "file">) => string;
  /** The URL of the page that shows the run, either read-only (like `link` for files) or for answering with a key. */
  readonly page?: (access: "read" | "answer") => string;
  /** The URL of a document that shows the run in another page's frame, if any page may frame it: read-only, or with answering. */
  readonly embed?: (access: "read" | "answer") => string;
}

/** What a run is waiting for, and since when (milliseconds since 1970). `agent`: none of the others, its own code is running. */
export interface Waiting {
  /** `storage`: the run has stopped because its log cannot be written, and its end is not stored yet. */
  readonly waiting: "model" | "tool" | "you" | "retry" | "storage" | "agent";
  readonly since: number;
}

export const cursorText = ({ seq, frame }: Cursor): string => (frame ? `${seq}.${frame}` : `${seq}`);

export const parseCursor = (text: string): Cursor | undefined => {
  const match = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text);
  return match ? { seq: Number(match[1]), frame: Number(match[2] ?? 0) } : undefined;
};
