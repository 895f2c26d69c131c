import { createHash } from "node:crypto";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Dialect } from "../dialect.ts";
import { eventsJsonSchema } from "../events.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../source.ts";
import { readBody } from "./body.ts";
import { fileResponse, streamOf } from "./files.ts";
import { type Described, openapi } from "./openapi.ts";
import { HttpRefusal, missing, problemOf, refusalOf } from "./refusals.ts";
import { fits, type Router } from "./router.ts";
import type { States } from "./states.ts";
import type { Tokens } from "./tokens.ts";

export interface ApiOptions {
  readonly log: Log;
  readonly states: States;
  readonly tokens: Tokens;
  readonly router: Router;
  readonly dialects: readonly Dialect[];
  readonly version: string;
  readonly bodyBytes: number;
  readonly page: string | undefined;
  readonly ready: () => boolean;
  readonly metrics: () => string;
  readonly onError: (error: unknown, path: string) => void;
}

/** The plain routes: all that answers at once. Streams are not among them (see server.ts). */
export interface Api {
  readonly listener: ReturnType<typeof getRequestListener>;
  /** The methods that this path takes, here or in a dialect. */
  methods(path: string): readonly string[];
}

type Env = { Bindings: HttpBindings };
type PlainRoute = Described & { readonly handle: (context: Context<Env>) => Response | Promise<Response> };

const tokenSchema = z.object({ expiresInSeconds: z.number().int().min(1).max(31_536_000).optional() });
const DAY = 86_400;

export const createApi = (options: ApiOptions): Api => {
  const app = new Hono<Env>();
  const routes = plainRoutes(options);
  const patterns = routes.map(({ method, path }) => ({ method, segments: path.split("/") }));
  const methods = (path: string): readonly string[] => {
    const parts = path.split("/");
    const own = patterns.filter(({ segments }) => fits(segments, parts)).map(({ method }) => method);
    const all = new Set([...own, ...options.router.methods(path)]);
    if (all.has("GET")) all.add("HEAD");
    return [...all];
  };
  for (const { method, path, handle } of routes) app.on(method, path, handle);
  app.notFound((context) => {
    const allow = methods(context.req.path);
    return refuse(context, allow.length > 0 ? wrongMethod(context.req.method, allow) : unknownPath(context.req.path));
  });
  app.onError((error, context) => {
    const { refusal, unexpected } = refusalOf(error);
    if (unexpected) options.onError(error, context.req.path);
    return refuse(context, refusal);
  });
  return { listener: getRequestListener(app.fetch, { overrideGlobalObjects: false }), methods };
};

const plainRoutes = (options: ApiOptions): readonly PlainRoute[] => {
  const { log, tokens } = options;
  const info = async (context: Context<Env>) => {
    const run = context.req.param("run") ?? "";
    const found = await log.info(run);
    if (!found || found.dropped) throw missing(found ? `run ${run} was dropped` : `there is no run ${run}`, !!found);
    return found;
  };
  const routes: readonly PlainRoute[] = [
    {
      method: "GET",
      path: "/runs",
      summary: "The runs that are kept, newest first. `before` is the id to go on from.",
      query: ["limit", "before", "thread", "open"],
      handle: async ({ req, json }) => {
        const limit = Number(req.query("limit") ?? 50);
        if (!Number.isInteger(limit) || limit < 1 || limit > 500)
          throw new Refusal("bad-request", "limit must be a whole number from 1 to 500", { hint: "the default is 50" });
        const before = req.query("before");
        const thread = req.query("thread");
        const found = await log.list({
          limit: limit + 1,
          ...(before && { before }),
          ...(thread && { thread }),
          ...(req.query("open") === "1" && { open: true }),
        });
        const runs = found.slice(0, limit);
        return json({ runs, ...(found.length > limit && { next: runs.at(-1)?.run }) });
      },
    },
    {
      method: "GET",
      path: "/runs/:run",
      summary: "The state of a run, and the cursor to follow it from.",
      handle: async (context) => {
        const { run } = await info(context);
        return context.json({ run, ...(await options.states(run)) });
      },
    },
    {
      method: "GET",
      path: "/runs/:run/files/:file",
      summary: "A file beside the run's log; takes Range.",
      handle: async (context) =>
        fileResponse(log, (await info(context)).run, context.req.param("file") ?? "", context.req.raw),
    },
    {
      method: "GET",
      path: "/runs/:run/export.jsonl",
      summary: "The run's log, one entry a line.",
      handle: async (context) => {
        const { run } = await info(context);
        const headers = {
          "content-type": "application/x-ndjson; charset=utf-8",
          "content-disposition": `attachment; filename="${run}.jsonl"`,
          "x-content-type-options": "nosniff",
        };
        return new Response(context.req.method === "HEAD" ? null : streamOf(lines(log, run)), { headers });
      },
    },
    {
      method: "POST",
      path: "/runs/:run/tokens",
      summary: "A read-only token for this run, usable in a URL.",
      body: () => z.toJSONSchema(tokenSchema, { io: "input" }),
      handle: async (context) => {
        const { run } = await info(context);
        const body = tokenSchema.safeParse((await readBody(context.env.incoming, options.bodyBytes)) ?? {});
        if (!body.success)
          throw new Refusal("bad-request", "expiresInSeconds must be a whole number from 1 to 31536000", {
            hint: "the default is a day",
          });
        const expires = Date.now() + (body.data.expiresInSeconds ?? DAY) * 1000;
        const token = tokens.create(run, expires);
        return context.json({ token, url: `/?run=${run}&token=${token}`, expires }, 201);
      },
    },
    {
      method: "GET",
      path: "/health",
      summary: "Whether the process answers.",
      handle: ({ json }) => json({ status: "ok", version: options.version }),
    },
    {
      method: "GET",
      path: "/ready",
      summary: "Whether it takes new runs.",
      handle: ({ json }) =>
        options.ready() ? json({ status: "ready" }) : json({ status: "not ready" }, 503, { "retry-after": "2" }),
    },
    {
      method: "GET",
      path: "/metrics",
      summary: "Counts in Prometheus' text format.",
      handle: ({ text }) =>
        text(options.metrics(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
    },
    {
      method: "GET",
      path: "/schema/events.json",
      summary: "The JSON Schema of a log entry.",
      handle: ({ json }) => json(eventsJsonSchema()),
    },
    {
      method: "GET",
      path: "/openapi.json",
      summary: "This description.",
      handle: ({ json }) => json(openapi(options.version, [...routes, ...dialectRoutes(options.dialects)])),
    },
    {
      method: "GET",
      path: "/",
      summary: "The page.",
      handle: ({ html, json }) =>
        options.page === undefined
          ? json({ name: "runcast", version: options.version, see: "/openapi.json" })
          : html(options.page, 200, pageHeaders(options.page)),
    },
  ];
  return routes;
};

/** The page runs its own scripts and talks to this server, and nothing else, whatever a run may bring. */
const pageHeaders = (page: string): Record<string, string> => {
  const scripts = [...page.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, script]) => script!);
  const hashes = scripts.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
};

const dialectRoutes = (dialects: readonly Dialect[]): readonly Described[] =>
  dialects.flatMap(({ name, routes }) =>
    routes.map(({ method, path, does, summary = `${name}: ${does}`, body }) => ({
      method,
      path,
      summary,
      ...(body && { body }),
      ...((does === "start" || does === "follow") && { streams: true }),
      ...(does === "follow" && { query: ["after", "from", "dialect", "style"] }),
    })),
  );

async function* lines(log: Log, run: string): AsyncGenerator<Uint8Array> {
  let after = 0;
  for (;;) {
    const entries = await log.read(run, after, 256);
    const last = entries.at(-1);
    if (!last) return;
    after = last.seq;
    yield Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  }
}

const refuse = (context: Context<Env>, refusal: Refusal): Response =>
  context.json(
    { error: problemOf(refusal) },
    refusal.status as 400,
    refusal instanceof HttpRefusal ? { ...refusal.headers } : {},
  );

const unknownPath = (path: string) =>
  new Refusal("unknown-path", `there is nothing at ${path.slice(0, 100)}`, {
    status: 404,
    hint: "GET /openapi.json lists what there is",
  });

const wrongMethod = (method: string, allow: readonly string[]) =>
  new HttpRefusal(405, "wrong-method", `${method} is not for this path`, `it takes ${allow.join(", ")}`, {
    headers: { allow: allow.join(", ") },
  });
