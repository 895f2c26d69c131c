import type { IncomingMessage, ServerResponse } from "node:http";
import { type Principal, onBehalfOf } from "../access.ts";
import type { Dialect } from "../dialect.ts";
import type { Refusal } from "../source.ts";
import { frameText, lineSafe } from "../sse.ts";
import type { Api } from "./api.ts";
import type { ReadBody } from "./body.ts";
import type { Commands } from "./commands.ts";
import { forwardedUser } from "./forwarded-user.ts";
import { answerPreflight, type Guard } from "./guard.ts";
import type { RequestKind } from "./rates.ts";
import { HttpRefusal, problemOf, refusalOf } from "./refusals.ts";
import type { Match, Router } from "./router.ts";
import { Turns } from "./turns.ts";
import { boundUnreadBody } from "./unread-body.ts";

export interface HandlerOptions {
  readonly guard: Guard;
  readonly router: Router;
  readonly api: Api;
  readonly commands: Commands;
  readonly readBody: ReadBody;
  /** Where the server is mounted, without a trailing slash. */
  readonly basePath: string;
  /** Resolves when the runs of an earlier process are recovered. Undefined once that is done. */
  readonly starting: () => Promise<unknown> | undefined;
  readonly closing: () => boolean;
  /** Called for each refusal. */
  readonly onRefused: (refusal: Refusal) => void;
  readonly onProblem: (problem: { readonly error: unknown; readonly path?: string }) => void;
}

/** Handles one request. `plain` handles paths that belong to no dialect, at the given URL. Never rejects. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  plain: (url: string, principal: Principal) => Promise<void>,
) => Promise<void>;

/** These report the progress of the start, so they do not wait for it. */
const WHILE_STARTING = new Set(["/health", "/ready"]);

/** Handling hundreds of requests in one turn would delay all streams. */
const REQUESTS_PER_TURN = 16;

export const createHandler = (options: HandlerOptions): Handler => {
  const { guard, router, api, commands, onProblem } = options;

  const turns = new Turns(REQUESTS_PER_TURN, (error) => onProblem({ error }));

  const handle: Handler = async (request, response, plain) => {
    const { method = "GET" } = request;
    let match: Match | undefined;
    let path = "";
    let inStream = false;
    boundUnreadBody(request, response);
    try {
      await turns.enter();
      const target = guard.target(request);
      path = target.path;
      const query = target.query.size > 0 ? `?${target.query}` : "";
      // The page refers to its files relative to a path with a trailing slash.
      if (path === "") return void response.writeHead(308, { Location: `${options.basePath}/${query}` }).end();
      const headers = headersOf(request);
      match = router.match(method, path, headers);
      const shown = await guard.check(request, response, target, kindOf(method, match));
      const principal = onBehalfOf(shown, forwardedUser(headers, match?.dialect));
      inStream = match?.route.refusesInStream === true && headers.get("runcast-extensions") !== "1";
      const starting = options.starting();
      if (starting && !WHILE_STARTING.has(path)) await starting;
      const known = method === "OPTIONS" ? api.methods(path) : [];
      if (known.length > 0) return answerPreflight(request, response, known);
      if (!match) return await plain(path + query, principal);
      if (options.closing() && match.route.does === "start") throw shuttingDown();
      // Dialect routes bypass Hono, because its adapter retains the request and a handler until the response closes,
      // and most of these responses are long-lived streams.
      const body = method === "POST" ? await options.readBody(request) : undefined;
      const { route, params, dialect } = match;
      const command = dialect.read(route, { params, query: target.query, headers, body });
      await commands(command, { principal, dialect, query: target.query, request, response });
    } catch (error) {
      const { refusal, unexpected } = refusalOf(error);
      if (unexpected) onProblem({ error, path });
      options.onRefused(refusal);
      if (match && (refusal.inStream || (inStream && !KEPT.has(refusal.status))))
        refuseInStream(response, match.dialect, refusal);
      else refuse(response, match?.dialect, refusal);
    }
  };

  return (request, response, plain) =>
    handle(request, response, plain).catch((error: unknown) => {
      response.destroy();
      onProblem({ error });
    });
};

const kindOf = (method: string, match: Match | undefined): RequestKind => {
  if (method === "GET" || method === "HEAD") return "read";
  return match?.route.does === "answer" || match?.route.does === "cancel" ? "control" : "start";
};

/** Avoids `headersDistinct`, because the request caches its result and a stream retains its request. */
const headersOf = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  return headers;
};

const refuse = (response: ServerResponse, dialect: Dialect | undefined, refusal: Refusal): void => {
  if (response.headersSent) return void response.destroy();
  const problem = problemOf(refusal);
  const { status, headers, body } = dialect?.refuse({ ...problem, status: refusal.status }) ?? {
    status: refusal.status,
    headers: {},
    body: JSON.stringify({ error: problem }),
  };
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    ...headers,
    ...(refusal instanceof HttpRefusal && refusal.headers),
  });
  response.end(body);
};

/** Refusals that keep their status even for clients that only read streams. A missing key was already refused before this. */
const KEPT: ReadonlySet<number> = new Set([403, 413, 429]);

const refuseInStream = (response: ServerResponse, dialect: Dialect, refusal: Refusal): void => {
  if (response.headersSent) return void response.destroy();
  const event = { type: "run-end", outcome: "error", error: problemOf(refusal) } as const;
  const frames = dialect.encode({ link: ({ file }) => file })({ seq: 1, at: 0, event });
  response.writeHead(200, {
    "Content-Type": dialect.contentType,
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
    ...dialect.headers,
  });
  // Frames have no id, because there is no run to resume.
  response.end(lineSafe(frames.map(({ id: _, ...frame }) => frameText(frame)).join("")));
};

const shuttingDown = () =>
  new HttpRefusal(
    503,
    "closing",
    "this server is shutting down and accepts no new runs",
    "send it again; another server will accept it",
    {
      // A load balancer chooses again for a new connection.
      headers: { "retry-after": "2", connection: "close" },
      retryable: true,
    },
  );
