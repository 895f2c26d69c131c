import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { lineSafe } from "../sse.ts";

/** Notified of changes to the response. */
export interface ChunkedOwner {
  /** Everything written has been flushed, and more may be written. */
  drained(): void;
  /** The connection is gone, or the response has ended. Called once. */
  closed(): void;
}

/** Frames for viewers, measured and framed once for any number of them. All data in them is JSON or a plain word. */
export class Chunk {
  readonly text: string;
  readonly bytes: number;
  #buffer: Buffer | undefined;

  constructor(text: string) {
    const bytes = Buffer.byteLength(text);
    // ASCII, which nearly all frames are, needs no escaping.
    this.text = bytes === text.length ? text : lineSafe(text);
    this.bytes = this.text === text ? bytes : Buffer.byteLength(this.text);
  }
  /** With one byte per character, the socket need not inspect each one. */
  get encoding(): "latin1" | "utf8" {
    return this.bytes === this.text.length ? "latin1" : "utf8";
  }
  get framed(): string {
    return `${this.bytes.toString(16)}\r\n${this.text}\r\n`;
  }
  get buffer(): Buffer {
    return (this.#buffer ??= Buffer.from(this.framed, this.encoding));
  }
}

/**
 * A response that writes already framed chunks to the socket, because `res.write` costs more than the frames. Falls
 * back to `res.write` where that is impossible (HTTP/1.0 has no chunks, and a pipelined response has no socket yet).
 */
export class Chunked {
  readonly #response: ServerResponse;
  readonly #socket: Socket | null;
  readonly #owner: ChunkedOwner;
  #closed = false;

  constructor(response: ServerResponse, headers: Record<string, string>, owner: ChunkedOwner) {
    this.#response = response;
    this.#owner = owner;
    response.writeHead(200, headers);
    response.flushHeaders();
    this.#socket = response.chunkedEncoding ? response.socket : null;
    response.on("close", () => this.#close());
    if (response.destroyed || response.closed) process.nextTick(() => this.#close());
  }

  get closed(): boolean {
    return this.#closed;
  }
  get stalled(): boolean {
    return (this.#socket ?? this.#response).writableNeedDrain;
  }

  /** Returns false if the reader is too slow. Then write nothing until `drained`. `shared`: other viewers get the same chunk. */
  write(chunk: Chunk, shared: boolean): boolean {
    if (this.#closed) return true;
    const socket = this.#socket;
    let taken: boolean;
    if (socket === null) taken = this.#response.write(chunk.text);
    else if (shared) taken = socket.write(chunk.buffer);
    else taken = socket.write(chunk.framed, chunk.encoding);
    if (!taken) (socket ?? this.#response).once("drain", () => this.#closed || this.#owner.drained());
    return taken;
  }

  end(): void {
    if (!this.#closed) this.#response.end();
  }

  /** Cuts the connection. The client does not take this for the end of the run, and resumes. */
  destroy(): void {
    this.#response.destroy();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#owner.closed();
  }
}
