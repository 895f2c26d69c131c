import type { Line } from "./line.ts";
import type { Screen } from "./screen.ts";

/**
 * The client of one protocol. One file each.
 *
 * - It sends every request over the given line, so a trial can break the connection.
 * - Its conversations lack the methods that the protocol cannot support, and `cannot` gives the reason in a sentence.
 */
export interface Driver {
  readonly name: string;
  readonly cannot: Readonly<Partial<Record<Ability, string>>>;
  /**
   * `id`: of an existing conversation, as after a reload or from a shared link. `agent`: if not the default. `asks`: the user
   * wants to approve calls, for families where the user decides that instead of the tool.
   */
  converse(options: { readonly id?: string; readonly agent?: string; readonly asks?: boolean }): Conversation;
}

export interface DriverOptions {
  /** The URL that clients of the protocol use. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: string;
}

export type Ability = "resume" | "follow" | "cancel" | "answer" | "agent";

/** One run as one page knows it. */
export interface Conversation {
  /** All that a page needs to open the run again. Known once the run has started. */
  readonly id: string;
  /** Starts the run. A second call sends the same request again, like a client that got no response. */
  send(message: string, line: Line): Viewer;
  /** Resumes after a cut, from what the viewer has. */
  resume?(viewer: Viewer, line: Line): Viewer;
  /** Shows the run to a page that knows only its id. */
  follow?(line: Line): Viewer;
  cancel?(line: Line): Promise<void>;
  /** Answers an ask and returns the viewer that shows the rest of the run. */
  answer?(viewer: Viewer, ask: string, allow: boolean, line: Line): Promise<Viewer>;
  /** The whole result of a call, if the screen shows only part of it. */
  result?(file: string, line: Line): Promise<string>;
  /** Sends this body to the endpoint that starts runs. */
  post(body: string, line: Line): Promise<Response>;
}

/** A page that shows a run over one connection. */
export interface Viewer {
  readonly screen: Screen;
  /** The HTTP status, once the response has arrived. */
  readonly status: number | undefined;
  /** The response if it is not a stream, or the error. */
  readonly refusal: string | undefined;
  /** Whether the connection has ended, for any reason. */
  readonly isOver: boolean;
  readonly over: Promise<void>;
  /** Resolves with true when the screen shows this, and with false if the connection ends or the time is up first. */
  until(isShown: (screen: Screen) => boolean, withinMs: number): Promise<boolean>;
  /** Closes the connection, like a closed tab. */
  close(): void;
}
