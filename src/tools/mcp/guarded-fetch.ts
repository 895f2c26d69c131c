import { lookup } from "node:dns";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { type LookupFunction, isIP } from "node:net";
import { Readable } from "node:stream";
import { hostOf, isAllowedPrivate, isPublicAddress, placeOf } from "../../addresses.ts";

/**
 * A `fetch` that reaches no private address except those allowed as `host:port`. The address is checked when the socket
 * is created, so a name that resolves differently a moment later gains nothing. Does not follow redirects.
 */
export const guardedFetch =
  (allowPrivate: readonly string[]) =>
  async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError(`${url.protocol} is not HTTP.`);
    const host = hostOf(url);
    const place = placeOf(url);
    const open = isAllowedPrivate(url, allowPrivate);
    if (!open && isIP(host) && !isPublicAddress(host)) throw refused(place);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const outgoing = (url.protocol === "https:" ? httpsRequest : httpRequest)(
      url,
      {
        method: init.method ?? "GET",
        headers: Object.fromEntries(new Headers(init.headers)),
        agent: false,
        ...(init.signal && { signal: init.signal }),
        ...(!open && { lookup: guardedLookup(place) }),
      },
      (incoming) => {
        try {
          resolve(responseOf(incoming));
        } catch (error) {
          // The Response constructor rejects a status such as 999. Thrown from this callback, the error would end the
          // process.
          incoming.destroy();
          reject(error);
        }
      },
    );
    outgoing.on("error", reject);
    outgoing.end(init.body as string | undefined);
    return promise;
  };

const responseOf = (incoming: IncomingMessage): Response => {
  const { statusCode: status = 500, statusMessage: statusText = "", headers } = incoming;
  const list = Object.entries(headers).map(([key, value]) => [key, String(value)] as [string, string]);
  const init = { status, statusText, headers: list };
  const empty = status === 204 || status === 205 || status === 304;
  if (empty) incoming.resume();
  return new Response(empty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), init);
};

const guardedLookup =
  (place: string): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      if (!addresses.every(({ address }) => isPublicAddress(address))) return callback(refused(place), "", 0);
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first!.address, first!.family);
    });

const refused = (place: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${place} is a private address; to allow it, set allowPrivate: ["${place}"].`), {
    code: "private-address",
  });
