import { createParser } from "eventsource-parser";
import type { Frame } from "./dialect.ts";
import { LONGEST_TIMER } from "./timer.ts";

/**
 * A frame as the bytes of an event stream say it. Line breaks of any kind in `data` come back as LF, an empty `event` as none.
 * Throws for an id or event that could not come back: a line break, or NUL in an id.
 */
export const frameText = ({ id, event, data }: Frame): string => {
  if (id !== undefined && (hasBreak(id) || id.includes("\0"))) throw unsayable("id", id);
  if (event && hasBreak(event)) throw unsayable("event", event);
  const head = id === undefined ? "" : `id: ${id}\n`;
  return `${head}${event ? `event: ${event}\n` : ""}data: ${lines(data, "data: ")}\n\n`;
};

/** What stands between the id and the data of a frame whose event is a plain word. */
export const plainFrameHead = (event: string): string => `\nevent: ${event}\ndata: `;

/** A frame whose id is a number and whose data is one line: for those who make many, and keep the head of frames that follow one another. */
export const plainFrameText = (id: number, head: string, data: string): string => `id: ${id}${head}${data}\n\n`;

/**
 * JSON text in which no reader finds a line break that is none: NEL and the Unicode separators are spelled as escapes. JSON may hold
 * them as they are, but clients that split lines as Python's `str.splitlines` does would cut a frame in two there.
 */
export const lineSafe = (json: string): string =>
  json.includes("\u2028") || json.includes("\u2029") || json.includes("\u0085")
    ? json.replaceAll(/[\u0085\u2028\u2029]/g, (odd) => `\\u${odd.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;

/** A comment: readers skip it, proxies see that the stream lives. */
export const commentText = (text: string): string => `: ${lines(text, ": ")}\n\n`;

export interface FrameReaderOptions {
  /** What the stream before this one left; it stays until a frame says another. */
  readonly lastEventId?: string;
  /** Something came that is no frame: the stream lives. */
  readonly onComment?: () => void;
  /** How long the server asks to wait before connecting again; at most what a timer can hold. */
  readonly onRetry?: (milliseconds: number) => void;
  /** A frame that takes no more bytes than this is read, one whose data has more characters is an error. 16 MiB if not given. */
  readonly maxFrameBytes?: number;
}

export interface FrameReader {
  /**
   * Takes the next bytes; they may end anywhere, within a character or a line break too. Calls back for each frame they finish, before it
   * returns. Throws for a frame that is too large, and what `onFrame` throws; then, as after `end`, it takes nothing more.
   */
  push(bytes: Uint8Array): void;
  /** No more bytes will come, or none are wanted: from within `onFrame` too. A frame that is not finished is discarded. */
  end(): void;
  /** The id to continue from: that of the last frame that had one, with or without data; "" if there was none. Current within `onFrame`. */
  readonly lastEventId: string;
}

/** Reads an event stream as the HTML standard says. A frame without an id of its own has none, even if an earlier one had. */
export const createFrameReader = (onFrame: (frame: Frame) => void, options: FrameReaderOptions = {}): FrameReader => {
  const { onComment, onRetry, maxFrameBytes = 16 * 1024 * 1024 } = options;
  let lastEventId = options.lastEventId ?? "";
  let started = false;
  let closed: unknown;

  const tooLarge = () => new RangeError(`An SSE frame is larger than maxFrameBytes (${maxFrameBytes})`);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parser = createParser({
    // It counts what it holds between two pieces, in characters: never more than the frame's bytes.
    maxBufferSize: maxFrameBytes,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw tooLarge();
    },
    onId: (id) => {
      if (closed === undefined) lastEventId = id;
    },
    onEvent: (frame) => {
      if (closed !== undefined) return;
      if (frame.data.length > maxFrameBytes) throw tooLarge();
      onFrame(frame);
    },
    onComment: onComment && (() => onComment()),
    onRetry: onRetry && ((milliseconds) => onRetry(Math.min(milliseconds, LONGEST_TIMER))),
  });

  return {
    push: (bytes) => {
      if (closed !== undefined) throw closed;
      const text = decoder.decode(bytes, { stream: true });
      if (text === "") return;
      try {
        // The parser takes the characters ï»¿ for a byte order mark too; having had one, it takes no other.
        if (!started && text.startsWith("\u00ef")) parser.feed("\ufeff");
        started = true;
        parser.feed(text);
      } catch (error) {
        closed = error;
        throw error;
      }
    },
    end: () => {
      closed ??= new Error("A frame reader takes nothing after end()");
      parser.reset();
    },
    get lastEventId() {
      return lastEventId;
    },
  };
};

const unsayable = (field: string, value: string) =>
  new TypeError(`An SSE frame cannot have the ${field} ${JSON.stringify(value)}`);

const hasBreak = (text: string): boolean => text.includes("\n") || text.includes("\r");

const lines = (text: string, field: string): string =>
  hasBreak(text) ? text.replace(/\r\n|\r|\n/g, `\n${field}`) : text;
