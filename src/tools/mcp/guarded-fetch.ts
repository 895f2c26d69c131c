import { lookup } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, type LookupFunction, isIP } from "node:net";
import { Readable } from "node:stream";

/**
 * A `fetch` that reaches no private address but those allowed as `host:port`. The address is judged where the socket is
 * made, so a name that resolves differently a moment later gains nothing. Follows no redirects.
 */
export const guardedFetch = (allowPrivate: readonly string[]) => {
  const allowed = new Set(allowPrivate.map((entry) => entry.toLowerCase()));
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError(`${url.protocol} is not HTTP.`);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const place = `${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
    const open = allowed.has(place);
    if (!open && isIP(host) && isPrivate(host)) throw refused(place);
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
        const { statusCode = 500, statusMessage = "", headers } = incoming;
        const list = Object.entries(headers).map(([key, value]) => [key, String(value)] as [string, string]);
        const empty = statusCode === 204 || statusCode === 205 || statusCode === 304;
        if (empty) incoming.resume();
        const body = empty ? null : (Readable.toWeb(incoming) as ReadableStream);
        resolve(new Response(body, { status: statusCode, statusText: statusMessage, headers: list }));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(init.body as string | undefined);
    return promise;
  };
};

const guardedLookup =
  (place: string): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      if (addresses.some(({ address }) => isPrivate(address))) return callback(refused(place), "", 0);
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first!.address, first!.family);
    });

const refused = (place: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${place} is a private address; the setting allowPrivate: ["${place}"] would allow it.`), {
    code: "private-address",
  });

/** Of IPv6 only what is given out for the internet is public: no loopback, local, mapped or translated addresses. */
const isPrivate = (address: string): boolean =>
  isIP(address) === 6
    ? !GLOBAL.check(address, "ipv6") || PRIVATE.check(address, "ipv6")
    : PRIVATE.check(address, "ipv4");

const V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const;
const V6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;
const blockList = (
  v4: readonly (readonly [string, number])[],
  v6: readonly (readonly [string, number])[],
): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of v4) list.addSubnet(network, prefix, "ipv4");
  for (const [network, prefix] of v6) list.addSubnet(network, prefix, "ipv6");
  return list;
};
const PRIVATE = blockList(V4, V6);
const GLOBAL = blockList([], [["2000::", 3]]);
