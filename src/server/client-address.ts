import type { IncomingMessage } from "node:http";

/**
 * Where a request comes from. Behind `proxies` proxies that add to X-Forwarded-For, it is what the first of them saw; what stands before
 * that was written by the client. IPv6 clients have a whole /64 to choose from, so that counts as one.
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
