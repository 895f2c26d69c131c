import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostOf, isAllowedPrivate, isPublicAddress } from "../../addresses.ts";
import { Refusal } from "../../source.ts";

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves the addresses of a URL's host. Refuses the URL if any of them is not public, unless its `host:port` is allowed. */
export const resolvePublic = async (
  url: URL,
  allowPrivate: readonly string[],
  signal: AbortSignal,
): Promise<readonly Address[]> => {
  const found = await findAll(hostOf(url), signal);
  if (isAllowedPrivate(url, allowPrivate)) return found;
  // Check all of them: a host with a public and a private address could otherwise pass with the first and be reached at
  // the second.
  const isPrivate = found.some(({ address }) => !isPublicAddress(address));
  if (!isPrivate) return found;
  throw new Refusal(
    "private-address",
    `Tools cannot reach ${url.host}, an address of this machine or its private network. Use a public address.`,
  );
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
