import type { Line } from "./line.ts";
import type { Screen } from "./screen.ts";

/**
 * How one kind of server is spoken to, as a client of its family does. One file each.
 *
 * - It asks over the line that it is given and over nothing else, so that a trial can break it.
 * - What the family has no way to say is absent from its conversations, and `cannot` says why in a sentence.
 */
export interface Driver {
  readonly name: string;
  readonly cannot: Readonly<Partial<Record<Ability, string>>>;
  /** `id`: as a page has it that was loaded again, or that somebody was sent a link to. `agent`: another than the default. */
  converse(options: { readonly id?: string; readonly agent?: string }): Conversation;
}

export interface DriverOptions {
  /** As a client of the family is given it. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: string;
}

export type Ability = "resume" | "follow" | "cancel" | "answer" | "agent";

/** One run as one page knows it. */
export interface Conversation {
  /** All that a page needs to be opened again. Known when the run was started. */
  readonly id: string;
  /** Starts the run. Again, as a client does that got no answer: the same request. */
  send(message: string, line: Line): Viewer;
  /** Goes on after a cut with what the viewer has. */
  resume?(viewer: Viewer, line: Line): Viewer;
  /** Shows the run to a page that has nothing of it but its id. */
  follow?(line: Line): Viewer;
  cancel?(line: Line): Promise<void>;
  /** Answers an ask, and gives the viewer that shows what follows. */
  answer?(viewer: Viewer, ask: string, allow: boolean, line: Line): Promise<Viewer>;
  /** The whole result of a call, where the screen shows only a part of it. */
  result?(file: string, line: Line): Promise<string>;
  /** Sends this body where runs are started. */
  post(body: string, line: Line): Promise<Response>;
}

/** Someone who looks at a run over one connection. */
export interface Viewer {
  readonly screen: Screen;
  /** The status of the answer, once it has come. */
  readonly status: number | undefined;
  /** What the server says instead of a stream. */
  readonly refusal: string | undefined;
  /** Whether the connection has ended, however it did. */
  readonly isOver: boolean;
  readonly over: Promise<void>;
  /** Resolves with true when the screen shows this, with false when the connection is over or the time is up first. */
  until(isShown: (screen: Screen) => boolean, withinMs: number): Promise<boolean>;
  /** Goes away, as a closed tab does. */
  close(): void;
}
