import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { Refusal } from "../../source.ts";

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses of a URL's host, and refuses the URL if one of them is not public, unless its `host:port` is allowed. */
export const resolvePublic = async (
  url: URL,
  allowPrivate: readonly string[],
  signal: AbortSignal,
): Promise<readonly Address[]> => {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const found = await findAll(host, signal);
  if (isAllowed(url, allowPrivate)) return found;
  // All of them: a name with a public and a private address would otherwise be let in by the first and reached by the second.
  const isPrivate = found.some(({ address }) => !isPublicAddress(address));
  if (!isPrivate) return found;
  throw new Refusal(
    "private-address",
    `${url.host} is an address of this machine or of its private network, which may not be reached. Use a public address.`,
  );
};

export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC.check(address, "ipv4");
  // Only what is given out for the internet. This leaves out loopback, link-local, unique local, mapped and translated IPv4 addresses.
  return family === 6 && GLOBAL.check(address, "ipv6") && !NOT_PUBLIC.check(address, "ipv6");
};

const findAll = async (host: string, signal: AbortSignal): Promise<readonly Address[]> => {
  const family = isIP(host);
  if (family) return [{ address: host, family: family as 4 | 6 }];
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return (await Promise.race([lookup(host, { all: true }), aborted.promise])) as readonly Address[];
  } catch (error) {
    signal.throwIfAborted();
    throw new Refusal("unknown-host", `The host ${host} was not found. Check the address.`, { cause: error });
  } finally {
    signal.removeEventListener("abort", abort);
  }
};

const isAllowed = (url: URL, allowed: readonly string[]): boolean => {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return allowed.some((one) => one.toLowerCase() === `${url.hostname}:${port}`);
};

const ranges = (list: readonly string[]): BlockList => {
  const block = new BlockList();
  for (const range of list) {
    const [address, prefix] = range.split("/") as [string, string];
    block.addSubnet(address, Number(prefix), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return block;
};

const GLOBAL = ranges(["2000::/3"]);
/** The special-purpose registries of IANA, multicast and reserved; of IPv6 only what lies within the global range. */
const NOT_PUBLIC = ranges([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]);
