import type { ServerResponse } from "node:http";
import type { Principal } from "../access.ts";
import type { Links } from "./links.ts";

const CHECK_MS = 5000;

/** Tracks open streams of principals whose access can end, and cuts them when it does, even if another process revoked it. */
export interface Sessions {
  add(principal: Principal, response: ServerResponse): void;
  /** Checks all streams now. */
  check(): Promise<void>;
}

export const createSessions = (
  links: Pick<Links, "find">,
  knowsKey: (key: string) => Promise<boolean>,
  onError: (error: unknown) => void,
): Sessions => {
  const streams = new Map<string, { readonly principal: Principal; readonly responses: Set<ServerResponse> }>();
  let timer: NodeJS.Timeout | undefined;

  const isOver = async ({ link, expires, isRevocable, key }: Principal): Promise<boolean> => {
    if (isRevocable && key !== undefined && !(await knowsKey(key))) return true;
    if (expires !== undefined && expires <= Date.now()) return true;
    return link !== undefined && typeof (await links.find(link.token)) === "string";
  };
  const check = async (): Promise<void> => {
    for (const { principal, responses } of streams.values())
      // Cut instead of ended, so the client reconnects and gets the reason.
      if (await isOver(principal)) for (const response of responses) response.destroy();
  };

  return {
    check,
    add: (principal, response) => {
      const { link, user, expires, isRevocable, key } = principal;
      if (!link && expires === undefined && !isRevocable) return;
      // A response that is already closed does not emit "close" again.
      if (response.closed) return;
      const name = link?.token ?? `${user} ${expires} ${key}`;
      const { responses } = streams.get(name) ?? { responses: new Set<ServerResponse>() };
      streams.set(name, { principal, responses: responses.add(response) });
      response.once("close", () => {
        responses.delete(response);
        if (responses.size === 0) streams.delete(name);
        if (streams.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      timer ??= setInterval(() => void check().catch(onError), CHECK_MS).unref();
    },
  };
};
