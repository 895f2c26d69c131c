import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Key, LOCAL, NOBODY, type Principal, linkTo, principalOf } from "../access.ts";
import { looksLikeJwt, type VerifyJwt } from "./jwt.ts";
import { type Keys, keyHash, looksLikeKey } from "./keys.ts";
import { type Links, looksLikeToken } from "./links.ts";
import type { RequestKind, Rates } from "./rates.ts";
import { HttpRefusal } from "./refusals.ts";

export interface GuardOptions {
  readonly keys: readonly Key[];
  readonly keyInPath: boolean;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly basePath: string;
  readonly rates: Rates;
  readonly links: Pick<Links, "find">;
  /** Keys created while the server runs. */
  readonly storedKeys: Pick<Keys, "find">;
  /** Verifies tokens of an identity provider, if one is configured. */
  readonly verifyJwt: VerifyJwt | undefined;
}

export interface RequestTarget {
  /** Without the base path, a key in the path, and the query. Empty for the base path itself. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly pathKey: string | undefined;
}

/** Authenticates and authorizes requests before anything else reads them. Throws a Refusal. */
export interface Guard {
  target(request: IncomingMessage): RequestTarget;
  /** Returns the caller. Sets the CORS headers for allowed origins. */
  check(
    request: IncomingMessage,
    response: ServerResponse,
    target: RequestTarget,
    kind: RequestKind,
  ): Promise<Principal>;
}

/** Public paths, which reveal nothing about runs. */
const OPEN = new Set([
  "/",
  "/element.js",
  "/frame",
  "/live",
  "/health",
  "/ready",
  "/openapi.json",
  "/schema/events.json",
]);
const isOpen = (path: string): boolean => OPEN.has(path) || path.startsWith("/assets/");
/** Codes of refusals for a wrong secret, as opposed to a missing one. */
const GUESSED: ReadonlySet<string> = new Set(["wrong-key", "wrong-token"]);
const EXPOSED = "Runcast-Run, Retry-After, Location, Content-Range, Content-Disposition";

export const createGuard = (options: GuardOptions): Guard => {
  const { keyInPath, links, verifyJwt } = options;
  const hosts = new Set(options.hosts.map((host) => host.toLowerCase()));
  const origins = new Set(options.origins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
  const keys = options.keys.map((key) => ({
    digest: digest(key.key),
    principal: { ...principalOf(key), key: keyHash(key.key) },
  }));
  const { rates } = options;
  const hasKeys = keys.length > 0 || verifyJwt !== undefined;

  const checkHost = (request: IncomingMessage): void => {
    const { host } = request.headers;
    if (host === undefined) return;
    const name = hostName(host);
    if (isLoopback(name) || hosts.has(name) || hosts.has(host.toLowerCase())) return;
    if (name === bare(request.socket.localAddress ?? "")) return;
    throw new HttpRefusal(
      403,
      "foreign-host",
      `this server does not accept the host ${name.slice(0, 100)}`,
      "add it to the hosts setting if it is yours",
    );
  };

  const checkOrigin = (request: IncomingMessage, response: ServerResponse, { path, query }: RequestTarget): void => {
    const { origin } = request.headers;
    if (origin === undefined) return;
    const host = originHost(origin);
    const isOwn = host !== undefined && host === request.headers.host?.toLowerCase();
    // Without keys, every allowed page has full access, so a page on another local port is as foreign as any other.
    const isLocal = hasKeys && host !== undefined && isLoopback(hostName(host));
    // A frame with an opaque origin may use the one run of its link, and nothing else.
    const isLinked = origin === "null" && query.has("token") && path.startsWith("/runs/");
    // Such a frame loads the page's files without an origin. They are public.
    const isFile = origin === "null" && path.startsWith("/assets/");
    if (!isOwn && !isLocal && !isLinked && !isFile && !origins.has(origin.toLowerCase()))
      throw new HttpRefusal(
        403,
        "foreign-origin",
        `pages from ${origin.slice(0, 100)} may not use this server`,
        `if you trust them, add that origin to the origins setting, or start with --origin ${origin.slice(0, 100)}`,
      );
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Access-Control-Expose-Headers", EXPOSED);
    response.setHeader("Vary", "Origin");
  };

  const holder = (text: string | undefined): Principal | undefined => {
    if (text === undefined || keys.length === 0) return undefined;
    const given = digest(text);
    let found: Principal | undefined;
    // Compare all keys, so the timing reveals nothing.
    for (const { digest: known, principal } of keys) if (timingSafeEqual(known, given)) found = principal;
    return found;
  };

  const storedHolder = async (text: string | undefined): Promise<Principal | undefined> =>
    hasKeys && text !== undefined && looksLikeKey(text) ? await options.storedKeys.find(text) : undefined;

  const checkAccess = async (request: IncomingMessage, { path, query, pathKey }: RequestTarget): Promise<Principal> => {
    const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const secret = pathKey ?? bearer;
    const isKnown = secret !== undefined && rates.isKnown(request, keyHash(secret));
    if ((secret !== undefined || query.has("token")) && !isKnown) rates.mayGuess(request);
    const principal = holder(pathKey) ?? holder(bearer) ?? (await storedHolder(secret));
    if (principal?.key !== undefined && !isKnown) rates.guessedRight(request, principal.key);
    if (principal) return principal;
    const token = query.get("token") ?? (bearer !== undefined && looksLikeToken(bearer) ? bearer : undefined);
    if (token !== undefined) return await checkLink(token, request.method ?? "", path);
    if (isOpen(path)) return NOBODY;
    if (verifyJwt && bearer !== undefined && looksLikeJwt(bearer)) return await verifyJwt(bearer);
    if (!hasKeys) return checkLocal(request);
    const given = bearer ?? pathKey;
    throw new HttpRefusal(
      401,
      given === undefined ? "key-required" : "wrong-key",
      given === undefined ? "this server requires a key" : "this key is not valid for this server",
      "send a key from the key or keys setting in the header Authorization: Bearer <key>",
      { headers: { "www-authenticate": "Bearer" } },
    );
  };

  /** The program that mounts the server decides where it listens. */
  const checkLocal = ({ socket }: IncomingMessage): Principal => {
    if (isLoopback(bare(socket.localAddress ?? ""))) return LOCAL;
    throw new HttpRefusal(
      403,
      "no-key",
      "this server has no key, so it answers only on a loopback address",
      "configure the key setting, or listen on 127.0.0.1",
    );
  };

  const checkLink = async (token: string, method: string, path: string): Promise<Principal> => {
    if (isOpen(path) && method === "GET") return NOBODY;
    const link = await links.find(token);
    if (link === "wrong")
      throw new HttpRefusal(
        401,
        "wrong-token",
        "this token is not valid for this server",
        "ask for a new link to the run",
      );
    if (link === "gone")
      throw new HttpRefusal(
        401,
        "expired-token",
        "this link has expired or was revoked",
        "ask for a new link to the run",
      );
    const [, kind, run, what] = path.split("/");
    const isItsRun = kind === "runs" && run === link.run;
    const reads = method === "GET" || method === "HEAD";
    if (isItsRun && reads && /^(events|files|access|export\.[a-z]+)?$/.test(what ?? ""))
      return linkTo({ ...link, token });
    if (isItsRun && method === "POST" && what === "asks" && link.answer) return linkTo({ ...link, token });
    throw new HttpRefusal(
      403,
      "read-only-token",
      link.answer
        ? "this link only allows watching one run and answering its questions"
        : "this token only allows reading one run",
      "use a key to start, answer or cancel, or to read other runs",
    );
  };

  return {
    target: (request) => targetOf(urlOf(request, options.basePath), options.basePath, keyInPath),
    check: async (request, response, target, kind) => {
      checkHost(request);
      checkOrigin(request, response, target);
      if (request.method === "OPTIONS") return NOBODY;
      const principal = await checkAccess(request, target).catch((error: unknown) => {
        if (error instanceof HttpRefusal && GUESSED.has(error.code)) rates.guessedWrong(request);
        throw error;
      });
      if (!isOpen(target.path)) rates.count(request, kind);
      return principal;
    },
  };
};

/** Responds to a preflight request, which pages send before anything but a simple GET. */
export const answerPreflight = (request: IncomingMessage, response: ServerResponse, allow: readonly string[]): void => {
  const wanted = request.headers["access-control-request-headers"] ?? "";
  response.writeHead(204, {
    Allow: allow.join(", "),
    "Access-Control-Allow-Methods": allow.join(", "),
    ...(/^[\w\-, ]{1,1000}$/.test(wanted) && { "Access-Control-Allow-Headers": wanted }),
    "Access-Control-Max-Age": "600",
  });
  response.end();
};

export const isLoopback = (name: string): boolean =>
  name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);

const DOTS = /[/\\](?:\.|%2e){1,2}(?:[/\\#]|$)/i;

/** The URL as the client sent it: Express strips the mount path from `url`. */
const urlOf = ({ url = "/", originalUrl = url }: IncomingMessage & { readonly originalUrl?: string }, base: string) =>
  base === "" ? url : originalUrl;

const targetOf = (url: string, basePath: string, keyInPath: boolean): RequestTarget => {
  const relative = url.startsWith("/") ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, "") || "/";
  const mark = relative.indexOf("?");
  const full = mark < 0 ? relative : relative.slice(0, mark);
  const isMounted = basePath !== "" && `${full}/`.startsWith(`${basePath}/`);
  const whole = isMounted ? full.slice(basePath.length) : full;
  // Code that resolves them later would use another path than the one checked here.
  if (DOTS.test(whole))
    throw new HttpRefusal(400, "bad-path", "a path must not contain . or .. segments", "request the resolved path");
  const query = new URLSearchParams(mark < 0 ? "" : relative.slice(mark + 1));
  const match = keyInPath ? /^\/key\/([^/]+)(\/.*)?$/.exec(whole) : null;
  return match
    ? { path: match[2] ?? "/", query, pathKey: decode(match[1] ?? "") }
    : { path: whole, query, pathKey: undefined };
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Constant-time comparison requires equal lengths. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const hostName = (host: string): string =>
  bare(
    host
      .toLowerCase()
      .replace(/:\d+$/, "")
      .replace(/^\[(.*)\]$/, "$1"),
  );
const bare = (address: string): string => address.replace(/^::ffff:/, "");

const originHost = (origin: string): string | undefined => {
  try {
    const { protocol, host } = new URL(origin);
    return protocol === "http:" || protocol === "https:" ? host.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
};
