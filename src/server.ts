import { randomBytes } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Dialect, ServerFacts } from "./dialect.ts";
import type { Log } from "./log.ts";
import { createRunner, type RunnableAgent, type Runner, type RunnerOptions } from "./runner.ts";
import { createApi } from "./server/api.ts";
import { createAudience } from "./server/audience.ts";
import { readBody } from "./server/body.ts";
import { createCommands } from "./server/commands.ts";
import { answerPreflight, createGuard, isLoopback } from "./server/guard.ts";
import { type Limits, limitsOf } from "./server/limits.ts";
import { countedLog, createMetrics, metricsText, watchEventLoop } from "./server/metrics.ts";
import { HttpRefusal, problemOf, refusalOf } from "./server/refusals.ts";
import { createRouter, type Match } from "./server/router.ts";
import { createStates } from "./server/states.ts";
import { createTokens } from "./server/tokens.ts";
import { Refusal, type Source } from "./source.ts";

export interface ServerOptions {
  /** By name. */
  readonly agents: Readonly<Record<string, Source>>;
  /** For requests that name none. Default: the first. */
  readonly defaultAgent?: string;
  /** Stays open when the server closes. */
  readonly log: Log;
  readonly runner?: Omit<RunnerOptions, "log">;
  readonly dialects: readonly Dialect[];
  /** For clients that check an MCP server before they name it in a request. Default: they are told that nobody checks. */
  readonly validateServer?: ServerFacts["validateServer"];
  /** Default: 127.0.0.1. Any address that others can reach needs a `key`. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  readonly key?: string | readonly string[];
  /** Also takes the key as `/key/<key>/…`, for clients that can send no header. */
  readonly keyInPath?: boolean;
  /** Names, besides loopback ones and the bound address, under which the server is reached. */
  readonly hosts?: readonly string[];
  /** Origins, besides our own and loopback ones, whose pages may use the server. */
  readonly origins?: readonly string[];
  /** How clients reach the server, for links to files. Default: as each of them did. */
  readonly publicUrl?: string;
  readonly limits?: Partial<Limits>;
  /** Signs tokens. Default: a new one for each process, so that links end with it. */
  readonly secret?: string;
  /** What is at `/` and under `/assets/`. Default: a line of JSON that says what this is. */
  readonly page?: Page;
  /** Texts and patterns that are left out of runs saved as HTML, besides what looks like a secret. */
  readonly redact?: readonly (string | RegExp)[];
  readonly version?: string;
  /** Hears of failures that no client is to blame for. Is told no key, secret or token. */
  readonly onProblem?: (problem: ServerProblem) => void;
}

/** Answers with a file of a page, or undefined if it has none at this path. Anyone may read them: they hold nothing of a run. */
export type Page = (request: Request) => Promise<Response | undefined>;

export interface ServerProblem {
  readonly error: unknown;
  readonly path?: string;
  readonly run?: string;
}

export interface RuncastServer {
  readonly runner: Runner;
  /** Closes what an earlier process left open, then listens. Rejects where that would not be safe. */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Takes nothing new, interrupts what runs, ends every stream, and is done within a few seconds. */
  close(): Promise<void>;
}

/** A reader that does not read gets no more than this beyond what the kernel holds for it. */
const SOCKET_BYTES = 32 * 1024;
const FLUSH_MS = 1000;
const CLOSE_MS = 3000;
const LINK_MS = 7 * 86_400_000;

export const createServer = (options: ServerOptions): RuncastServer => {
  const { dialects, host = "127.0.0.1", version = "0.0.0", onProblem = () => {} } = options;
  const limits = limitsOf(options.limits);
  const keys = typeof options.key === "string" ? [options.key] : (options.key ?? []);
  const metrics = createMetrics();
  const log = countedLog(options.log, metrics);
  const tokens = createTokens(options.secret ?? randomBytes(32));
  const runner = createRunner({
    onProblem: (error) => onProblem({ error }),
    ...options.runner,
    log,
    onCut: (run) => {
      audience.cut(run);
      options.runner?.onCut?.(run);
    },
    onEnd: (ended) => {
      metrics.runs[ended.end.outcome]++;
      return options.runner?.onEnd?.(ended);
    },
  });
  const states = createStates(log);
  const router = createRouter(dialects);
  const audience = createAudience({
    log,
    metrics,
    waiting: (run) => runner.waiting(run) ?? { waiting: "agent", since: Date.now() },
    onProblem: (error, run) => onProblem({ error, run }),
  });
  let closing = false;
  let closed: Promise<void> | undefined;
  let ready = false;
  let loopDelay: ReturnType<typeof watchEventLoop> | undefined;

  const guard = createGuard({
    keys,
    keyInPath: options.keyInPath ?? false,
    hosts: options.hosts ?? [],
    origins: options.origins ?? [],
    ratePerMinute: limits.ratePerMinute,
    tokens,
  });
  const facts: ServerFacts = {
    version,
    agents: Object.entries(options.agents).map(([name, { about }]) => ({ name, ...about })),
    latestData: async (thread) => {
      const [latest] = await log.list({ limit: 1, thread });
      return new Map(latest && (await states(latest.run)).state.data);
    },
    ...(options.defaultAgent !== undefined && { defaultAgent: options.defaultAgent }),
    ...(options.validateServer && { validateServer: options.validateServer }),
  };
  const api = createApi({
    log,
    states,
    tokens,
    router,
    dialects,
    facts,
    bodyBytes: limits.bodyBytes,
    page: options.page,
    redact: options.redact ?? [],
    ready: () => ready && !closing,
    metrics: () => metricsText(metrics, runner.active, (percent) => loopDelay?.quantile(percent) ?? 0),
    onError: (error, path) => onProblem({ error, path }),
  });
  const commands = createCommands({
    log,
    runner,
    audience,
    states,
    dialects,
    facts,
    limits,
    agent: (name) => agentOf(options, name),
    link: (base, { run, startedAt }, file) => {
      const query = keys.length > 0 ? `?token=${tokens.create(run, startedAt + LINK_MS)}` : "";
      return `${base}/runs/${run}/files/${encodeURIComponent(file)}${query}`;
    },
    page: (base, { run, startedAt }, access) => {
      const token = keys.length > 0 && access === "read" ? `&token=${tokens.create(run, startedAt + LINK_MS)}` : "";
      return `${base}/?run=${run}${token}`;
    },
    base: ({ headers }) =>
      options.publicUrl?.replace(/\/$/, "") ?? `http://${headers.host ?? `${host}:${options.port}`}`,
    viewers: () => metrics.viewers,
    onError: (error) => onProblem({ error }),
  });

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "GET" } = request;
    let match: Match | undefined;
    let path = "";
    try {
      const target = guard.target(request);
      path = target.path;
      const headers = headersOf(request);
      match = router.match(method, path, headers);
      guard.check(request, response, target);
      const known = method === "OPTIONS" ? api.methods(path) : [];
      if (known.length > 0) return answerPreflight(request, response, known);
      if (!match) {
        if (target.pathKey !== undefined) request.url = path + (target.query.size > 0 ? `?${target.query}` : "");
        return await api.listener(request, response);
      }
      if (closing && match.route.does === "start") throw shuttingDown();
      // Dialects' routes do not pass through Hono: its adapter keeps the request and a handler until the response has
      // closed, and most of these responses are streams that stay open.
      const body = method === "POST" ? await readBody(request, limits.bodyBytes) : undefined;
      const { route, params, dialect } = match;
      const command = dialect.read(route, { params, query: target.query, headers, body });
      await commands(command, dialect, target.query, request, response);
    } catch (error) {
      const { refusal, unexpected } = refusalOf(error);
      if (unexpected) onProblem({ error, path });
      refuse(response, match?.dialect, refusal);
    }
  };

  const server = createHttpServer({ highWaterMark: SOCKET_BYTES }, (request, response) => {
    silent.delete(request.socket);
    request.socket.off("close", forget);
    handle(request, response).catch((error: unknown) => {
      response.destroy();
      onProblem({ error });
    });
  });
  // Browsers connect ahead of their requests. Node does not count such connections as idle when it closes.
  const silent = new Set<Socket>();
  const forget = function (this: Socket) {
    silent.delete(this);
  };
  server.on("connection", (socket: Socket) => silent.add(socket.on("close", forget)));

  const shutDown = async (): Promise<void> => {
    closing = true;
    const left = new Promise<void>((resolve) => server.close(() => resolve()));
    await runner.close();
    // Every run has its end in the log now; what is open after a moment waits for a run of another process.
    const patience = Date.now() + FLUSH_MS;
    while (metrics.viewers > 0 && Date.now() < patience) await sleep(5);
    audience.close();
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    for (const socket of silent) socket.destroy();
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    await left;
    clearTimeout(deadline);
    clearInterval(idle);
    loopDelay?.stop();
  };

  return {
    runner,
    listen: async () => {
      if (!isLoopback(host) && keys.length === 0)
        throw new Error(
          `listening on ${host}, where others can reach it, needs the setting key (or host: "127.0.0.1")`,
        );
      if (keys.some((key) => key.length < 8)) throw new Error("the setting key must have at least 8 characters");
      await runner.recover();
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(options.port ?? 0, host, resolve);
      });
      loopDelay = watchEventLoop();
      ready = true;
      const { port } = server.address() as AddressInfo;
      return { url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`, port };
    },
    close: () => (closed ??= shutDown()),
  };
};

/** Not by `headersDistinct`: a request keeps what that has made, and a stream keeps its request. */
const headersOf = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  return headers;
};

const agentOf = ({ agents, defaultAgent }: ServerOptions, wanted: string | undefined): RunnableAgent => {
  const name = wanted ?? defaultAgent ?? Object.keys(agents)[0] ?? "";
  const source = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (source) return { name, source };
  throw new Refusal("unknown-agent", `there is no agent ${name.slice(0, 100)}`, {
    status: 404,
    hint: `the setting agents has: ${Object.keys(agents).join(", ") || "none"}`,
  });
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

const shuttingDown = () =>
  new HttpRefusal(503, "closing", "the server is shutting down", "try again soon", {
    headers: { "retry-after": "2" },
    retryable: true,
  });
