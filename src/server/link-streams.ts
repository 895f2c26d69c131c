import type { ServerResponse } from "node:http";
import type { Links } from "./links.ts";

const CHECK_MS = 5000;

/** The open streams of share links: they end when their link does, whichever process revoked it. */
export interface LinkStreams {
  add(token: string, response: ServerResponse): void;
  /** Looks at all of them now. */
  check(): Promise<void>;
}

export const createLinkStreams = (links: Links, onError: (error: unknown) => void): LinkStreams => {
  const streams = new Map<string, Set<ServerResponse>>();
  let timer: NodeJS.Timeout | undefined;

  const check = async (): Promise<void> => {
    for (const [token, responses] of streams) {
      const found = await links.find(token);
      // Cut, not ended: whoever follows comes back and is told why.
      if (typeof found === "string") for (const response of responses) response.destroy();
    }
  };
  return {
    check,
    add: (token, response) => {
      const responses = streams.get(token) ?? new Set();
      streams.set(token, responses.add(response));
      response.once("close", () => {
        responses.delete(response);
        if (responses.size === 0) streams.delete(token);
        if (streams.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      timer ??= setInterval(() => void check().catch(onError), CHECK_MS).unref();
    },
  };
};
