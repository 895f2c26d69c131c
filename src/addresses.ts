import { BlockList, isIP } from "node:net";

/**
 * Whether an IP address is public: not loopback, private, or reserved. False for anything that is not an IP address.
 */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC.check(address, "ipv4");
  // Only globally allocated addresses. Excludes loopback, link-local, unique local, and mapped and translated IPv4 addresses.
  return family === 6 && GLOBAL.check(address, "ipv6") && !NOT_PUBLIC.check(address, "ipv6");
};

/** The target of a URL as used in `allowPrivate`: `host:port`, with the host as written in the URL. */
export const placeOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;

/** Whether the list contains exactly this target. A host name does not match its IP address, nor the reverse. */
export const isAllowedPrivate = (url: URL, allowPrivate: readonly string[]): boolean =>
  allowPrivate.some((entry) => entry.toLowerCase() === placeOf(url));

/** A URL's host as resolvers expect it: IPv6 addresses without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

const ranges = (list: readonly string[]): BlockList => {
  const block = new BlockList();
  for (const range of list) {
    const [address, prefix] = range.split("/") as [string, string];
    block.addSubnet(address, Number(prefix), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return block;
};

const GLOBAL = ranges(["2000::/3"]);
/** IANA's special-purpose registries, multicast, and reserved ranges. For IPv6, only those within the global range. */
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
