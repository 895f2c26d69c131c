import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Readable, Writable, pipeline } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";

/** The connection info that a caller of `fetch` may have, as @hono/node-server provides it in `env`. */
export interface FetchEnvironment {
  readonly incoming?: Pick<IncomingMessage, "socket">;
}

/**
 * Handles a fetch `Request` with code written for Node's requests and responses. Emulates the members that the server
 * uses. Streams go through `write`, as on connections that are not plain HTTP/1.1.
 */
export const answerFetch = (
  request: Request,
  environment: FetchEnvironment,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse, adopt: (response: Response) => void) => unknown,
): Promise<Response> => {
  const outgoing = new Outgoing(request);
  const incoming = incomingOf(request, environment);
  handle(incoming, outgoing as unknown as ServerResponse, (response) => outgoing.adopt(response));
  return outgoing.response;
};

const incomingOf = (request: Request, { incoming }: FetchEnvironment): IncomingMessage => {
  const url = new URL(request.url);
  const headers: IncomingHttpHeaders = Object.fromEntries(request.headers);
  headers.host ??= url.host;
  // A request created in this process has a body of unknown length.
  if (request.body && headers["content-length"] === undefined) headers["transfer-encoding"] = "chunked";
  const { remoteAddress, localAddress } = incoming?.socket ?? {};
  const body = request.body ? Readable.fromWeb(request.body as WebStream) : Readable.from([]);
  // Node's requests report an error only to listeners. Without one, this stream would end the process.
  body.on("error", () => {});
  return Object.assign(body, {
    method: request.method,
    url: url.pathname + url.search,
    headers,
    rawHeaders: Object.entries(headers).flatMap(([name, value]) => [name, String(value)]),
    socket: { remoteAddress, localAddress, encrypted: url.protocol === "https:" },
  }) as unknown as IncomingMessage;
};

const NO_BODY = new Set([204, 205, 304]);
const BYTES = 32 * 1024;

class Outgoing extends Writable {
  readonly response: Promise<Response>;
  readonly chunkedEncoding = false;
  headersSent = false;
  readonly #method: string;
  readonly #headers = new Headers();
  readonly #answer: (response: Response) => void;
  readonly #refuse: (error: Error) => void;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Called when the reader wants more. */
  #wanted: (() => void) | undefined;

  constructor({ method, signal }: Request) {
    super({ highWaterMark: BYTES, decodeStrings: true });
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#method = method;
    this.#answer = resolve;
    this.#refuse = reject;
    signal.addEventListener("abort", () => this.#leave(), { once: true });
    if (signal.aborted) this.#leave();
  }

  setHeader(name: string, value: string): void {
    this.#headers.set(name, value);
  }

  flushHeaders(): void {}

  writeHead(status: number, headers: Readonly<Record<string, string | number>> = {}): this {
    for (const [name, value] of Object.entries(headers)) this.#headers.set(name, `${value}`);
    const hasBody = this.#method !== "HEAD" && !NO_BODY.has(status);
    this.headersSent = true;
    this.#answer(new Response(hasBody ? this.#stream() : null, { status, headers: this.#headers }));
    return this;
  }

  /** Responds with this response, plus the headers set here. */
  adopt({ status, headers, body }: Response): void {
    this.writeHead(status, Object.fromEntries(headers));
    if (!body) return void this.end();
    // Pipe through this stream, so destroying it cuts the body. A body that ended normally would look complete.
    pipeline(Readable.fromWeb(body as WebStream), this, () => {});
  }

  #stream(): ReadableStream<Uint8Array> {
    return new ReadableStream(
      {
        start: (controller) => void (this.#body = controller),
        pull: () => {
          const wanted = this.#wanted;
          this.#wanted = undefined;
          wanted?.();
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: BYTES, size: (bytes) => bytes?.byteLength ?? 0 },
    );
  }

  /** The reader has gone. */
  #leave(): void {
    this.#body = undefined;
    this.destroy();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, taken: () => void): void {
    if (!this.#body) return taken();
    this.#body.enqueue(bytes);
    if ((this.#body.desiredSize ?? 0) > 0) taken();
    else this.#wanted = taken;
  }

  override _final(done: () => void): void {
    this.#body?.close();
    this.#body = undefined;
    done();
  }

  override _destroy(_error: Error | null, done: () => void): void {
    const cut = new Error("the connection was closed");
    // After a normal end these calls have no effect.
    this.#body?.error(cut);
    this.#refuse(cut);
    done();
  }
}
