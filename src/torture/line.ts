import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { Duplex, Readable } from "node:stream";
import { connect as tlsConnect } from "node:tls";

/** The faults of a connection. Bytes count the response as it arrives, including its head. */
export interface Faults {
  /** Breaks the connection after this many bytes. 0: when the first byte arrives, so the server has read the request. */
  readonly cutAfter?: number;
  readonly bytesPerSecond?: number;
  /** Stops reading after this many bytes and keeps the connection open. */
  readonly stallAfter?: number;
}

/** A request and its response, truncated: the evidence for a verdict. */
export interface Exchange {
  readonly request: string;
  status?: number;
  head: string;
  tail: string;
  bytes: number;
  ended?: string;
}

export type Fetch = (url: string, init?: FetchInit) => Promise<Response>;
export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A network that can fail on purpose. Each request opens its own connection. */
export interface Line {
  readonly fetch: Fetch;
  /** A connection for another protocol over HTTP, such as WebSocket. `what` is for the record. */
  connect(url: string, what: string): Duplex;
  /** Bytes received so far. */
  readonly received: number;
  /** The longest time without a byte, since the first byte of a response. */
  readonly longestSilenceMs: number;
  /** Breaks every open connection. `why` is for the record. */
  cut(why?: string): void;
  /** Ends a stall: continues to read. */
  endStall(): void;
}

const MAX_CHARACTERS = 2000;
const SLICES_PER_SECOND = 20;
const CUT = "cut by the trial";
const ENDED = "ended by the server";

export const openLine = (faults: Faults, record: Exchange[]): Line => {
  const open = new Set<Channel>();
  const seen = { bytes: 0, longest: 0, at: 0 };

  const opened = (url: URL, request: string): { readonly exchange: Exchange; readonly channel: Channel } => {
    const exchange: Exchange = { request, head: "", tail: "", bytes: 0 };
    record.push(exchange);
    const channel = new Channel(url, faults, exchange, (bytes) => {
      const now = performance.now();
      if (seen.at > 0) seen.longest = Math.max(seen.longest, now - seen.at);
      seen.at = now;
      seen.bytes += bytes;
    });
    open.add(channel);
    channel.on("close", () => open.delete(channel));
    return { exchange, channel };
  };

  const fetch: Fetch = (address, { method = "GET", headers = {}, body, signal } = {}) => {
    const url = new URL(address);
    const sent = body === undefined ? "" : ` ${body.slice(0, MAX_CHARACTERS / 2)}`;
    const { exchange, channel } = opened(url, `${method} ${url.pathname}${url.search}${sent}`);
    return new Promise<Response>((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const asked = httpRequest({
        method,
        path: url.pathname + url.search,
        headers: { host: url.host, connection: "close", ...headers, ...length },
        createConnection: () => channel as never,
        ...(signal && { signal }),
      });
      asked.on("error", reject);
      asked.on("response", (incoming) => {
        const status = incoming.statusCode ?? 0;
        exchange.status = status;
        // Without a listener, a stream that is cut while it has no reader would crash the process.
        incoming.on("error", () => {});
        incoming.on("end", () => (exchange.ended ??= ENDED));
        const fields = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
        const hasBody = status !== 204 && status !== 304;
        if (!hasBody) incoming.resume();
        resolve(
          new Response(hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null, {
            status,
            headers: fields as [string, string][],
          }),
        );
      });
      asked.end(body);
    });
  };

  return {
    fetch,
    connect: (address, what) => opened(new URL(address), what).channel,
    get received() {
      return seen.bytes;
    },
    get longestSilenceMs() {
      return Math.max(seen.longest, seen.at > 0 && open.size > 0 ? performance.now() - seen.at : 0);
    },
    cut: (why = CUT) => {
      for (const channel of open) channel.break(why);
    },
    endStall: () => {
      for (const channel of open) channel.endStall();
    },
  };
};

/** A connection with faults. */
class Channel extends Duplex {
  readonly #socket;
  readonly #faults: Faults;
  readonly #exchange: Exchange;
  readonly #onBytes: (count: number) => void;
  #waiting: Buffer[] = [];
  #isStalled = false;
  #mayStall: boolean;

  constructor(url: URL, faults: Faults, exchange: Exchange, onBytes: (count: number) => void) {
    super();
    this.#faults = faults;
    this.#exchange = exchange;
    this.#onBytes = onBytes;
    this.#mayStall = faults.stallAfter !== undefined;
    const isSecure = url.protocol === "https:";
    const place = { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || (isSecure ? 443 : 80)) };
    this.#socket = isSecure ? tlsConnect({ ...place, servername: place.host }) : connect(place);
    this.#socket.on("data", (bytes: Buffer) => this.#take(bytes));
    this.#socket.on("end", () => {
      exchange.ended ??= ENDED;
      this.#waiting.push(Buffer.alloc(0));
      this.#pass();
    });
    this.#socket.on("error", (error) => {
      exchange.ended ??= error.message;
      this.destroy(error);
    });
    if (faults.bytesPerSecond !== undefined) {
      const timer = setInterval(() => this.#pass(), 1000 / SLICES_PER_SECOND);
      this.on("close", () => clearInterval(timer));
    }
  }

  break(why: string): void {
    this.#exchange.ended ??= why;
    this.destroy(new Error(why));
  }

  endStall(): void {
    this.#mayStall = false;
    this.#isStalled = false;
    this.#pass();
    this.#socket.resume();
  }

  #take(bytes: Buffer): void {
    const { cutAfter } = this.#faults;
    const room = (cutAfter ?? Infinity) - this.#exchange.bytes;
    const arrived = bytes.subarray(0, Math.max(0, room));
    this.#note(arrived);
    this.#waiting.push(arrived);
    if (this.#mayStall && this.#exchange.bytes >= this.#faults.stallAfter!) this.#isStalled = true;
    if (bytes.length > room || cutAfter === 0) {
      if (arrived.length > 0) this.#pass();
      // Let the reader consume everything before the cut first.
      return void setImmediate(() => this.break(CUT));
    }
    if (this.#faults.bytesPerSecond === undefined) this.#pass();
    else this.#socket.pause();
  }

  #note(bytes: Buffer): void {
    const exchange = this.#exchange;
    exchange.bytes += bytes.length;
    this.#onBytes(bytes.length);
    const room = Math.max(0, MAX_CHARACTERS - exchange.head.length);
    exchange.head += bytes.subarray(0, room).toString();
    const rest = bytes.subarray(room).subarray(-MAX_CHARACTERS).toString();
    if (rest !== "") exchange.tail = (exchange.tail + rest).slice(-MAX_CHARACTERS);
  }

  #pass(): void {
    if (this.#isStalled) return void this.#socket.pause();
    const { bytesPerSecond = Infinity } = this.#faults;
    for (let room = Math.ceil(bytesPerSecond / SLICES_PER_SECOND); room > 0 && this.#waiting.length > 0;) {
      const [first] = this.#waiting as [Buffer];
      if (first.length === 0) return void this.push(null);
      const size = Math.min(room, first.length);
      if (size === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(size);
      room -= size;
      this.push(first.subarray(0, size));
    }
    if (this.#waiting.length === 0) this.#socket.resume();
  }

  override _read(): void {}
  override _write(bytes: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, encoding, done);
  }
  override _final(done: () => void): void {
    done();
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#exchange.ended ??= "closed by the client";
    this.#socket.destroy();
    done(error);
  }
}
