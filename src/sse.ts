import { createParser } from "eventsource-parser";
import type { Frame } from "./dialect.ts";
import { LONGEST_TIMER } from "./timer.ts";

/**
 * Encodes a frame for an event stream. Line breaks of any kind in `data` are read back as LF, and an empty `event` as
 * none. Throws for an id or event that cannot be encoded: one with a line break, or an id with NUL.
 */
export const frameText = ({ id, event, data }: Frame): string => {
  if (id !== undefined && (hasBreak(id) || id.includes("\0"))) throw cannotEncode("id", id);
  if (event && hasBreak(event)) throw cannotEncode("event", event);
  const head = id === undefined ? "" : `id: ${id}\n`;
  return `${head}${event ? `event: ${event}\n` : ""}data: ${lines(data, "data: ")}\n\n`;
};

/** The text between the id and the data of a frame whose event is a plain word. */
export const plainFrameHead = (event: string): string => `\nevent: ${event}\ndata: `;

/** A frame with a numeric id and single-line data. For encoders of many frames, which reuse the head of consecutive ones. */
export const plainFrameText = (id: number, head: string, data: string): string => `id: ${id}${head}${data}\n\n`;

/**
 * Escapes NEL and the Unicode line separators in JSON text. JSON allows them unescaped, but clients that split lines
 * like Python's `str.splitlines` would split the frame there.
 */
export const lineSafe = (json: string): string =>
  json.includes("\u2028") || json.includes("\u2029") || json.includes("\u0085")
    ? json.replaceAll(/[\u0085\u2028\u2029]/g, (odd) => `\\u${odd.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;

/** A comment. Clients ignore it, and proxies see that the stream is alive. */
export const commentText = (text: string): string => `: ${lines(text, ": ")}\n\n`;

export interface FrameReaderOptions {
  /** The last id of the previous stream. Kept until a frame sets another. */
  readonly lastEventId?: string;
  /** Called for comments, which show that the stream is alive. */
  readonly onComment?: () => void;
  /** Called with the reconnection delay that the server requests, capped at the longest possible timer. */
  readonly onRetry?: (milliseconds: number) => void;
  /** The largest frame accepted, in bytes. Data with more characters than this is an error. Default: 16 MiB. */
  readonly maxFrameBytes?: number;
}

export interface FrameReader {
  /**
   * Reads the next bytes, which may end anywhere, even within a character or a line break. Calls `onFrame` for each
   * completed frame before it returns. Throws if a frame is too large or if `onFrame` throws. After that, as after
   * `end`, it accepts no more bytes.
   */
  push(bytes: Uint8Array): void;
  /** Stops reading. May be called from within `onFrame`. An incomplete frame is discarded. */
  end(): void;
  /** The id to continue from: that of the last frame that had one, with or without data, or "". Up to date within `onFrame`. */
  readonly lastEventId: string;
}

/** Reads an event stream as specified by the HTML standard, except that a frame without an id does not inherit the last one. */
export const createFrameReader = (onFrame: (frame: Frame) => void, options: FrameReaderOptions = {}): FrameReader => {
  const { onComment, onRetry, maxFrameBytes = 16 * 1024 * 1024 } = options;
  let lastEventId = options.lastEventId ?? "";
  let started = false;
  let closed: unknown;

  const tooLarge = () => new RangeError(`An SSE frame is larger than maxFrameBytes (${maxFrameBytes})`);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parser = createParser({
    // Limits the characters buffered between two chunks, which never exceed the frame's bytes.
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
        // The parser also treats the characters ï»¿ as a byte order mark. After a real one, it accepts no other.
        if (!started && text.startsWith("\u00ef")) parser.feed("\ufeff");
        started = true;
        parser.feed(text);
      } catch (error) {
        closed = error;
        throw error;
      }
    },
    end: () => {
      closed ??= new Error("A frame reader accepts no input after end()");
      parser.reset();
    },
    get lastEventId() {
      return lastEventId;
    },
  };
};

const cannotEncode = (field: string, value: string) =>
  new TypeError(`An SSE frame cannot have the ${field} ${JSON.stringify(value)}`);

const hasBreak = (text: string): boolean => text.includes("\n") || text.includes("\r");

const lines = (text: string, field: string): string =>
  hasBreak(text) ? text.replace(/\r\n|\r|\n/g, `\n${field}`) : text;
