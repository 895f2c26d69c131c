import type { IncomingMessage } from "node:http";
import { type Principal, actorOf, may } from "../access.ts";
import type { Command, Dialect, EncodeOptions } from "../dialect.ts";
import type { RunInfo } from "../log.ts";
import { Refusal } from "../source.ts";
import type { Links } from "./links.ts";

export interface EncodingOptions {
  readonly dialects: readonly Dialect[];
  readonly links: Links;
  /** Whether links need a token. */
  readonly hasKeys: boolean;
  /** Whether any page may show a run in a frame. */
  readonly isFramed: boolean;
  /** The URL under which the client of this request reached the server. */
  readonly base: (request: IncomingMessage) => string;
}

/** How a run is encoded for one request. */
export interface Encoding {
  /** The dialect that the request names, or the one that owns the route. */
  dialectOf(query: URLSearchParams, routed: Dialect): Dialect;
  headersOf(run: string, dialect: Dialect): Record<string, string>;
  optionsOf(
    asked: Pick<Extract<Command, { do: "start" }>, "style" | "extensions">,
    info: RunInfo,
    exchange: { readonly principal: Principal; readonly request: IncomingMessage },
  ): Promise<Encoded>;
}

export interface Encoded {
  readonly options: EncodeOptions;
  /** Viewers with the same value get the same links. */
  readonly linkBase: string;
}

export const createEncoding = ({ dialects, links, hasKeys, isFramed, base }: EncodingOptions): Encoding => {
  /** A principal with a link passes on only that link: a longer-lived one would let the link renew itself. */
  const tokenFor = async (principal: Principal, info: RunInfo): Promise<() => string | undefined> => {
    const { link } = principal;
    if (link) return () => link.token;
    if (!hasKeys || !may(principal, "share", info)) return () => undefined;
    return await links.chatToken(info, makerOf(principal));
  };

  /** Frames cannot send a key, so they need a token even if the server requires no key. Undefined if there is no frame. */
  const frameTokens = async (principal: Principal, info: RunInfo) => {
    const { link } = principal;
    if (!isFramed) return undefined;
    if (link) return () => link.token;
    if (!may(principal, "share", info)) return undefined;
    const maker = makerOf(principal);
    const read = await links.chatToken(info, maker);
    const answer = may(principal, "answer", info) ? await links.chatToken(info, { ...maker, answer: true }) : read;
    return (access: "read" | "answer") => (access === "answer" ? answer : read)();
  };

  return {
    dialectOf: (query, routed) => {
      const name = query.get("dialect");
      if (name === null) return routed;
      const found = dialects.find((other) => other.name === name);
      if (found) return found;
      const names = dialects.map((other) => other.name).join(", ");
      throw new Refusal("unknown-dialect", `there is no dialect ${name.slice(0, 40)}`, { hint: `use one of ${names}` });
    },

    headersOf: (run, dialect) => ({
      "Content-Type": dialect.contentType,
      "Cache-Control": "no-cache",
      "X-Accel-Buffering": "no",
      "Runcast-Run": run,
      ...dialect.headers,
    }),

    optionsOf: async ({ style, extensions }, info, { principal, request }) => {
      const { run } = info;
      const reached = base(request);
      const token = await tokenFor(principal, info);
      const query = (mark: string): string => {
        const shown = token();
        return shown === undefined ? "" : `${mark}token=${shown}`;
      };
      const mayAnswer = principal.link?.answer === true;
      const frameToken = await frameTokens(principal, info);
      const rights = (["share", "answer"] as const).filter((action) => may(principal, action, info));
      return {
        linkBase: `${reached}\n${principal.link?.token ?? rights.join()}`,
        options: {
          ...(style !== undefined && { style }),
          ...(extensions !== undefined && { extensions }),
          link: ({ file }) => `${reached}/runs/${run}/files/${encodeURIComponent(file)}${query("?")}`,
          page: (access) => `${reached}/?run=${run}${access === "read" || mayAnswer ? query("&") : ""}`,
          ...(frameToken && {
            embed: (access) => `${reached}/live?run=${run}&token=${frameToken(access) ?? ""}`,
          }),
        },
      };
    },
  };
};

const makerOf = (principal: Principal) => {
  const by = actorOf(principal);
  return { key: principal.key, until: principal.expires, ...(by !== undefined && { by }) };
};
