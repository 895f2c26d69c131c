import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { lineSafe } from "../sse.ts";

/** Who is told what becomes of the response. */
export interface ChunkedOwner {
  /** What was handed over has left; more may be written. */
  drained(): void;
  /** The connection is gone, or the response has ended. Called once. */
  closed(): void;
}

/** Frames on their way to viewers: measured and framed once, however many they are. All data in them is JSON or a plain word. */
export class Chunk {
  readonly text: string;
  readonly bytes: number;
  #buffer: Buffer | undefined;

  constructor(text: string) {
    const bytes = Buffer.byteLength(text);
    // ASCII, as nearly all frames are, has nothing to escape.
    this.text = bytes === text.length ? text : lineSafe(text);
    this.bytes = this.text === text ? bytes : Buffer.byteLength(this.text);
  }
  /** One byte a character can be handed to the socket without a look at each of them. */
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
 * A response whose chunks go to the socket already framed: `res.write` costs more than the frames themselves. Where that
 * is not possible (HTTP/1.0 has no chunks; a pipelined response has no socket yet), it falls back to `res.write`.
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

  /** False if the reader does not keep up: then nothing should be written until `drained`. `shared`: others get the same chunk. */
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

  /** Cuts the connection: to the client this is no end of the run, it resumes. */
  destroy(): void {
    this.#response.destroy();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#owner.closed();
  }
}
