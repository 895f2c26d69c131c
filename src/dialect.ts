import type { Answer, Entry, Event, EventType, FileRef, Json, Problem, User } from "./events.ts";
import type { NamedAgent, RunRequest, ToolFacts } from "./source.ts";

/**
 * How one family of clients asks, and how it spells our events, both ways.
 *
 * What every variant promises:
 * - `encode` and `decode` are pure: what they say depends on the entries (or frames) so far, never on time or on who looks,
 *   so that every viewer and every replay gets the same frames.
 * - `encode` is flat: a frame costs what its entry carries (unless `coverage` admits otherwise).
 * - With extensions on, decode(encode(log)) is the log. What a dialect says natively never travels in its extension slot.
 */
export interface Dialect {
  readonly name: string;
  readonly contentType: string;
  /** Sent with every stream of this dialect. */
  readonly headers: Readonly<Record<string, string>>;
  readonly routes: readonly Route[];

  /** What a request to one of the routes asks for. Throws a Refusal for a request that makes no sense. */
  read(route: Route, request: DialectRequest): Command;
  /** Whom a front end of this family says, in its headers, that it speaks for. Believed only of a key with `onBehalf`. */
  user?(headers: Headers): User | undefined;
  /** The inverse of read: how a client of this family asks. */
  write(command: Command): { method: string; path: string; headers: Record<string, string>; body?: string };

  encode(options: EncodeOptions): (entry: Entry) => readonly Frame[];
  /** The same frames, each as `frameText` (sse.ts) spells it: for a dialect that can make the text for less. */
  encodeText?(options: EncodeOptions): (entry: Entry) => string;
  /** The encoder's frames depend on the one entry alone: it need not be fed what a viewer has already seen. */
  readonly stateless?: true;
  /** The whole state at `seq` instead of the entries up to it. Without this, a dialect cannot start from a snapshot. */
  snapshot?(seq: number, state: unknown): readonly Frame[];
  decode(): Decoder;
  /** One answer instead of a stream, for commands that want it `whole`: fed like an encoder, then asked for the body. */
  answer?(options: EncodeOptions): { take(entry: Entry): void; body(): WholeAnswer };

  /** Not events: they carry no id and come whatever the run is doing. */
  readonly heartbeat: {
    readonly everyMs: number;
    frames(waiting: Waiting): readonly Frame[];
    /** Sent as a comment where there are no frames: for formats that have none to spare. */
    readonly comment?: string;
  };
  /** An answer before the first event. */
  refuse(problem: Problem & { status: number }): { status: number; headers?: Record<string, string>; body: string };

  /**
   * Neighbouring deltas of one part (or of one call and stream) whose `at` lies in the same span of this many milliseconds are
   * one entry before it is encoded: its seq and `at` are the last one's. By the log's times, so that every viewer and every replay
   * gets the same frames; a span with more than about 32 KiB of text is several entries. An encoder must not take `seq - 1` for
   * the seq of the entry before.
   */
  readonly windowMs?: number;
  /** Results up to this many bytes are put back into the entry before it is encoded. */
  readonly wholeBytes?: number;
  /**
   * Its streams end with each segment of the run (see segments.ts), and the answers come with the thread's next request: see `answers`
   * of the command `start`. A new message for a thread whose run still asks is refused.
   */
  readonly segments?: true;
  /** `cancel`: closing the connection that started the run stops it, unless others follow. */
  readonly disconnect: "continue" | "cancel";
  /** How its clients can answer an ask. */
  readonly asks: "inline" | "next-request" | "link";
  readonly coverage: Coverage;
}

/** What frames say, one after the other. */
export interface Decoder {
  (frame: Frame): readonly Event[];
  /**
   * For a family that says something of an event only in a later frame: gives the event as it is known. Called when no frame has come
   * for a while.
   */
  pause?(): readonly Event[];
}

/**
 * What becomes of each event. `full`: the family's own format has all of it. `extended`: it has some of it, and an extension the
 * rest. A loss says why there is nothing.
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
  /** Of two dialects on one path, the one whose `when` holds. */
  readonly when?: (headers: Headers) => boolean;
  /**
   * Its clients show only what a stream says. What refuses the request is answered as a stream that ends at once and says why, unless
   * who asks may not (401, 403), or asks too much (413, 429).
   */
  readonly refusesInStream?: true;
  /** What it is for, in one line, and the JSON Schema of its body: for the server's own description. */
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
      /** Answer with the run's id at once instead of its stream. */
      readonly detached?: boolean;
      readonly style?: string;
      readonly extensions?: boolean;
      readonly disconnect?: Dialect["disconnect"];
      /** Answer once instead of streaming: when the run has ended, or now with what there is. */
      readonly whole?: "end" | "now";
      /** The run whose messages and answer come before this request's own. A thread may have none yet. */
      readonly continues?: RunRef;
      /**
       * Answers to what a run of the request's thread asks: they start nothing new. The asks select the run and the segment, and the
       * response begins with the next one. Asks that were answered elsewhere meanwhile keep the answer they have.
       */
      readonly answers?: readonly AskAnswer[];
    }
  | {
      readonly do: "follow";
      readonly run: RunRef;
      readonly after: Cursor;
      /**
       * `segment` begins with the segment that the run is in, `run` with the run's first entry, whatever `after` says. Both end with
       * that segment.
       */
      readonly from?: "snapshot" | "segment" | "run";
      /** Answers with this status and no body if there is no such run, instead of refusing. */
      readonly ifNone?: 200 | 204;
      readonly style?: string;
      readonly extensions?: boolean;
      readonly whole?: "end" | "now";
      /** The encoder is given what the run was asked with: for clients that keep nothing of their own. */
      readonly withRequest?: true;
      /** How many frames, counted from the first of the run, the client has already: for formats that number frames. */
      readonly skipFrames?: number;
    }
  | { readonly do: "answer"; readonly run: RunRef; readonly ask: string; readonly answer: Answer }
  | {
      readonly do: "cancel";
      readonly run: RunRef;
      readonly agent?: string;
      readonly call?: string;
      readonly reason?: string;
      /** Answer with what there is of the run once it is cancelled. */
      readonly whole?: "now";
    }
  /** What it returns, or the promise it returns resolves with, is the JSON that is sent. What it throws refuses the request. */
  | { readonly do: "reply"; readonly reply: (facts: ServerFacts) => unknown };

/**
 * A run by its id, or the latest run of a thread: of the caller's own, and of the addressed agent if one is named. With `open`, a run
 * that has ended does not count.
 */
export type RunRef = string | { readonly thread: string; readonly agent?: string; readonly open?: true };

export interface AskAnswer {
  readonly ask: string;
  readonly answer: Answer;
  /** The call that the ask is about: for families that answer a call. */
  readonly call?: string;
}

/** Where a viewer is: everything up to `seq`, and of the next entry the first `frame` frames. Written `seq` or `seq.frame`. */
export interface Cursor {
  readonly seq: number;
  readonly frame: number;
}

/** What a plain reply may tell. */
export interface ServerFacts {
  readonly agents: readonly NamedAgent[];
  /** For requests that name none. */
  readonly defaultAgent?: string;
  readonly version: string;
  /** What the data slots of a thread's latest run hold, by their names. */
  readonly latestData?: (thread: string) => Promise<ReadonlyMap<string, Json | undefined>>;
  /** The page that a run embeds under this id. Rejects with a refusal for a run that whoever asks may not watch. */
  readonly embed?: (
    run: string,
    embed: string,
  ) => Promise<{ readonly html: string } | { readonly url: string } | undefined>;
  /** Connects to an MCP server and answers its tools. Rejects with an error that says why it cannot. */
  readonly validateServer?: (server: { readonly url: string; readonly key?: string }) => Promise<readonly ToolFacts[]>;
}

/** A reply that is no JSON. It is sent as plain text, so that nothing in it can run on the server's own origin. */
export class TextReply {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export interface EncodeOptions {
  readonly style?: string;
  readonly extensions?: boolean;
  /** What the run was asked with, if the command wants it. */
  readonly request?: Pick<RunRequest, "messages" | "metadata">;
  /** A URL under which this client can fetch a file beside the log. */
  readonly link: (ref: Pick<FileRef, "file">) => string;
  /** The URL of the page that shows the run: to read it, as `link` lets one read its files, or to answer it with a key. */
  readonly page?: (access: "read" | "answer") => string;
  /** The URL of a document that shows the run in a frame of another page, if some page may frame it: to read, or also to answer. */
  readonly embed?: (access: "read" | "answer") => string;
}

/** What a run waits for, and since when (milliseconds since 1970). `agent`: for none of the others, its own code is at work. */
export interface Waiting {
  readonly waiting: "model" | "tool" | "you" | "retry" | "agent";
  readonly since: number;
}

export const cursorText = ({ seq, frame }: Cursor): string => (frame ? `${seq}.${frame}` : `${seq}`);

export const parseCursor = (text: string): Cursor | undefined => {
  const match = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text);
  return match ? { seq: Number(match[1]), frame: Number(match[2] ?? 0) } : undefined;
};
