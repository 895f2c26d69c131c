import type { IncomingMessage } from "node:http";

/**
 * The client's address. Behind `proxies` proxies that append to X-Forwarded-For, it is the address that the first of
 * them saw. Anything before it was written by the client. IPv6 clients control a whole /64, which counts as one address.
 */
export const clientAddress = ({ headers, socket }: IncomingMessage, proxies: number): string => {
  const forwarded = proxies > 0 ? String(headers["x-forwarded-for"] ?? "").split(",") : [];
  const seen = forwarded.map((text) => text.trim()).filter((text) => text !== "");
  return network(seen[Math.max(0, seen.length - proxies)] ?? socket.remoteAddress ?? "");
};

const network = (address: string): string => {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/^\[(.*)\](?::\d+)?$/, "$1");
  if (!bare.includes(":") || bare === "::1") return bare.slice(0, 64);
  const [head = ""] = bare.split("::");
  return `${head.split(":").slice(0, 4).join(":")}::/64`.slice(0, 64);
};
