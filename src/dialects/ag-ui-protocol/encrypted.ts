import type { Json } from "../../events.ts";
import { parseJson } from "../../json.ts";

/**
 * A provider's opaque value travels as an `encryptedValue`, which clients store with their messages and send back.
 * Values of other servers are returned byte for byte.
 */
const OWN = "runcast:";
const THEIRS = "ag-ui";

export const encryptedOf = (meta: Json): string => {
  const theirs = typeof meta === "object" && meta !== null && !Array.isArray(meta) ? meta[THEIRS] : undefined;
  return typeof theirs === "string" ? theirs : OWN + JSON.stringify(meta);
};

export const metaOf = (encrypted: string): Json => {
  const own = encrypted.startsWith(OWN) ? (parseJson(encrypted.slice(OWN.length)) as Json | undefined) : undefined;
  return own ?? { [THEIRS]: encrypted };
};
