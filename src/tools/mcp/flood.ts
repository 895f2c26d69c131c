import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** More than any real server sends. Each message is parsed and checked on the main thread. */
const MAX_PER_SECOND = 5000;
/** Each request of the server needs an answer, which over HTTP is another request. */
const REQUEST_WEIGHT = 25;

/** Counts the messages of one connection, and calls `tooMany` when they come too fast. */
export const floodMeter = (tooMany: () => void, now = () => performance.now()): ((message: JSONRPCMessage) => void) => {
  let count = 0;
  let since = now();
  return (message) => {
    count += "method" in message && "id" in message ? REQUEST_WEIGHT : 1;
    if (count <= MAX_PER_SECOND) return;
    const elapsed = now() - since;
    count = 0;
    since = now();
    if (elapsed < 1000) tooMany();
  };
};
