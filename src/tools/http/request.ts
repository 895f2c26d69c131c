import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { type Readable, pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { HttpAnswer } from "../../http-answer.ts";
import { Refusal } from "../../source.ts";
import { type Address, resolvePublic } from "./address.ts";
import { messageOf } from "../../message-of.ts";

export interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Limits {
  readonly allowPrivate: readonly string[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Sends a request and reads at most `maxBytes` of its response. Every redirect is checked again, and connects to the
 * addresses that were checked. The name is not resolved a second time, so its address cannot change in between.
 */
export const sendRequest = async (request: Request, limits: Limits): Promise<HttpAnswer> => {
  let current = request;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const url = parseUrl(current.url);
    const addresses = await resolvePublic(url, limits.allowPrivate, limits.signal);
    const message = await exchange(url, current, addresses, limits.signal);
    const location = message.headers.location;
    const status = message.statusCode!;
    if (!location || !REDIRECTS.includes(status)) return await readResponse(url, current.method, message, limits);
    message.destroy();
    current = redirected(current, url, location, status);
  }
  throw new Refusal("too-many-redirects", `${request.url} redirects more than ${MAX_REDIRECTS} times.`);
};

const parseUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (!url)
    throw new Refusal(
      "bad-url",
      `${JSON.stringify(text.slice(0, 200))} is not a URL. Give the full URL, such as https://example.com/page.`,
    );
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Refusal("bad-url", `Only http and https URLs can be fetched, not ${url.protocol}`);
  }
  if (url.username || url.password)
    throw new Refusal("bad-url", "A URL with a user name or password cannot be fetched.");
  return url;
};

const redirected = (request: Request, from: URL, location: string, status: number): Request => {
  const to = URL.parse(location, from);
  if (!to) throw new Refusal("bad-redirect", `${from.href} redirects to something that is not a URL.`);
  const isSameOrigin = to.origin === from.origin;
  const isReading = request.method === "GET" || request.method === "HEAD";
  const keeps = status === 307 || status === 308 || isReading;
  // The user's approval to change something on one server does not apply to another.
  if (keeps && (request.body !== undefined || !isReading) && !isSameOrigin) {
    throw new Refusal(
      "redirect",
      `${from.href} redirects the request to ${to.origin}. Send it there directly if that is intended.`,
    );
  }
  // Headers, above all credentials, are meant for one server only.
  const headers = isSameOrigin ? request.headers : {};
  const { body, ...rest } = request;
  return keeps && body !== undefined
    ? { ...rest, url: to.href, headers, body }
    : { ...rest, url: to.href, headers, method: keeps ? request.method : "GET" };
};

const exchange = (
  url: URL,
  { method, headers, body }: Request,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const isSecure = url.protocol === "https:";
    const fail = (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(signal.reason);
      const why = error.code ?? error.message;
      reject(new Refusal("no-answer", `${url.host} did not respond (${why}).`, { retryable: true, cause: error }));
    };
    try {
      const sending = (isSecure ? httpsRequest : httpRequest)(url, {
        method,
        headers: {
          "user-agent": "runcast",
          accept: "*/*",
          "accept-encoding": "gzip, deflate, br",
          ...headers,
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
        },
        lookup: pinned(addresses),
        // Use a new agent: a pooled connection, or a proxy from the environment, could go to an unchecked address.
        agent: isSecure ? new HttpsAgent() : new HttpAgent(),
        signal,
      });
      sending.once("response", resolve).once("error", fail).end(body);
    } catch (error) {
      reject(new Refusal("bad-request", `The request cannot be sent: ${messageOf(error)}.`, { cause: error }));
    }
  });

const pinned =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };

const readResponse = async (
  url: URL,
  method: string,
  message: IncomingMessage,
  { maxBytes, signal }: Limits,
): Promise<HttpAnswer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut = false;
  const abort = () => message.destroy(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    for await (const chunk of decoded(message, method) as AsyncIterable<Buffer>) {
      const room = maxBytes - size;
      chunks.push(chunk.subarray(0, room));
      size += chunk.length;
      cut = size > maxBytes;
      if (cut) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new Refusal("broken-answer", `The response from ${url.host} was cut off.`, { retryable: true, cause: error });
  } finally {
    signal.removeEventListener("abort", abort);
    message.destroy();
  }
  return {
    url: url.href,
    status: message.statusCode!,
    statusText: message.statusMessage ?? "",
    header: (name) => [message.headers[name] ?? []].flat().join(", "),
    bytes: Buffer.concat(chunks),
    cut,
  };
};

const decoded = (message: IncomingMessage, method: string): Readable => {
  const decoders = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const encoding = (message.headers["content-encoding"] ?? "").trim().toLowerCase();
  // A response without a body may still declare an encoding.
  const isEmpty = method === "HEAD" || message.statusCode === 304 || message.headers["content-length"] === "0";
  if (isEmpty || !Object.hasOwn(decoders, encoding)) return message;
  const decoder = decoders[encoding as keyof typeof decoders]();
  pipeline(message, decoder, () => undefined);
  return decoder;
};
