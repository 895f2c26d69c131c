import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { may, NOBODY, type Principal } from "../access.ts";
import type { Dialect, ServerFacts } from "../dialect.ts";
import { eventsJsonSchema } from "../events.ts";
import { messageOf } from "../message-of.ts";
import { Refusal } from "../source.ts";
import { type AdminRoutesOptions, adminRoutes } from "./admin-routes.ts";
import { type Described, openapi } from "./openapi.ts";
import type { Env, PlainRoute } from "./plain-route.ts";
import type { Readiness } from "./readiness.ts";
import { HttpRefusal, problemOf, refusalOf } from "./refusals.ts";
import { fits, type Router } from "./router.ts";
import { runRoutes, type RunRoutesOptions } from "./run-routes.ts";
import { uploadRoute, type UploadsOptions } from "./uploads.ts";
import type { FileLimits } from "./attachments.ts";

export interface ApiOptions extends RunRoutesOptions, AdminRoutesOptions, Omit<UploadsOptions, "onError"> {
  readonly limits: FileLimits & UploadsOptions["limits"];
  readonly router: Router;
  readonly dialects: readonly Dialect[];
  readonly facts: ServerFacts;
  readonly readiness: () => Promise<Readiness>;
  /** Called for each refusal. */
  readonly onRefused: (refusal: Refusal) => void;
  readonly metrics: () => string;
  /** Origins whose pages may show a run in a frame. */
  readonly frameAncestors: readonly string[];
}

/** The plain routes, which respond without streaming. For streams, see server.ts. */
export interface Api {
  listener(incoming: IncomingMessage, outgoing: ServerResponse, principal: Principal): Promise<void>;
  fetch(request: Request, environment: Env["Bindings"]): Response | Promise<Response>;
  /** The methods that this path accepts, here or in a dialect. */
  methods(path: string): readonly string[];
}

const serverSchema = z.object({ url: z.url(), key: z.string().min(1).optional() });

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
    const refusal = allow.length > 0 ? wrongMethod(context.req.method, allow) : unknownPath(context.req.path);
    options.onRefused(refusal);
    return refuse(context, refusal);
  });
  app.onError((error, context) => {
    const { refusal, unexpected } = refusalOf(error);
    if (unexpected) options.onError(error, context.req.path);
    options.onRefused(refusal);
    return refuse(context, refusal);
  });
  const principals = new WeakMap<object, Principal>();
  const listen = getRequestListener(
    (request, env) =>
      app.fetch(request, { ...(env as HttpBindings), principal: principals.get(env.incoming) ?? NOBODY }),
    { overrideGlobalObjects: false },
  );
  return {
    listener: (incoming, outgoing, principal) => {
      principals.set(incoming, principal);
      return listen(incoming, outgoing);
    },
    fetch: app.fetch,
    methods,
  };
};

const plainRoutes = (options: ApiOptions): readonly PlainRoute[] => {
  // Created once, on first use, because creating them blocks the event loop for a while.
  let schema: ReturnType<typeof eventsJsonSchema> | undefined;
  let description: ReturnType<typeof openapi> | undefined;
  const ofPage = async ({ req }: Context<Env>): Promise<Response> => {
    const found = await options.page?.(req.raw);
    if (!found) throw unknownPath(req.path);
    return found;
  };
  const routes: readonly PlainRoute[] = [
    ...runRoutes(options),
    uploadRoute({ ...options, onError: (error) => options.onError(error, "/runs/:run/files") }),
    ...adminRoutes(options),
    {
      method: "GET",
      path: "/agents",
      summary: "The agents that a request can name, the default first, with their details.",
      handle: async ({ json, env }) => {
        const { fileBytes, filesBytes, files } = options.limits;
        const agents = await agentsOf(options.facts, may(env.principal, "start"));
        return json({ agents, limits: { fileBytes, filesBytes, files } });
      },
    },
    {
      method: "POST",
      path: "/servers/check",
      summary: "The tools of an MCP server, as a run that uses it would see them.",
      body: () => z.toJSONSchema(serverSchema, { io: "input" }),
      handle: async (context) => {
        options.owners.allow(context.env.principal, "start");
        const body = serverSchema.safeParse(await options.readBody(context.env.incoming));
        if (!body.success) throw new Refusal("bad-request", "url must be a URL", { hint: "such as https://host/mcp" });
        return context.json({ tools: await checkedServer(options.facts, body.data) });
      },
    },
    {
      method: "GET",
      path: "/health",
      summary: "Whether the process responds.",
      handle: ({ json }) => json({ status: "ok", version: options.facts.version }),
    },
    {
      method: "GET",
      path: "/ready",
      summary: "Whether it accepts new runs.",
      handle: async ({ json }) => {
        const status = await options.readiness();
        return status === "ready" ? json({ status }) : json({ status }, 503, { "retry-after": "2" });
      },
    },
    {
      method: "GET",
      path: "/metrics",
      summary: "Metrics in Prometheus' text format.",
      handle: ({ text }) =>
        text(options.metrics(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }),
    },
    {
      method: "GET",
      path: "/schema/events.json",
      summary: "The JSON Schema of a log entry.",
      handle: ({ json }) => json((schema ??= eventsJsonSchema())),
    },
    {
      method: "GET",
      path: "/openapi.json",
      summary: "This OpenAPI document.",
      handle: ({ json }) =>
        json(
          (description ??= openapi(options.facts.version, options.basePath, [
            ...routes,
            ...dialectRoutes(options.dialects),
          ])),
        ),
    },
    {
      method: "GET",
      path: "/",
      summary: "The page.",
      handle: async ({ req, json }) =>
        (await options.page?.(req.raw)) ??
        json({ name: "runcast", version: options.facts.version, see: `${options.basePath}/openapi.json` }),
    },
    {
      method: "GET",
      path: "/live",
      summary: "One run, for a frame in a page whose origin is in the frameAncestors setting.",
      query: ["run", "token"],
      handle: async (context) => {
        if (options.frameAncestors.length === 0) throw unknownPath(context.req.path);
        const { status, headers, body } = await ofPage(context);
        const framed = new Headers(headers);
        framed.append("content-security-policy", `frame-ancestors ${options.frameAncestors.join(" ")}`);
        return new Response(body, { status, headers: framed });
      },
    },
    { method: "GET", path: "/assets/:file", summary: "A file of the page.", handle: ofPage },
    { method: "GET", path: "/element.js", summary: "The element <run-view>, as a module.", handle: ofPage },
    {
      method: "GET",
      path: "/frame",
      summary: "An empty document in which the page shows what a run embeds.",
      query: ["origin", "may"],
      handle: ofPage,
    },
  ];
  return routes;
};

/** Only a caller who may start runs learns which keys are missing. */
const agentsOf = async (
  { agents, defaultAgent, missingKeys, accepts: acceptsOf }: ServerFacts,
  mayStart: boolean,
): Promise<ServerFacts["agents"]> => {
  const listed = agents.map(async (agent) => {
    const missing = mayStart ? await missingKeys?.(agent.name) : undefined;
    const accepts = agent.accepts ?? (await acceptsOf?.(agent.name));
    return { ...agent, ...(accepts && { accepts }), ...(missing?.length && { missingKeys: missing }) };
  });
  return (await Promise.all(listed)).toSorted(
    (one, other) => Number(other.name === defaultAgent) - Number(one.name === defaultAgent),
  );
};

const checkedServer = async ({ validateServer }: ServerFacts, { url, key }: z.infer<typeof serverSchema>) => {
  if (!validateServer)
    throw new Refusal("no-check", "this server does not check MCP servers", {
      status: 501,
      hint: "name it in a request; the run will try to reach it",
    });
  try {
    return await validateServer({ url, ...(key !== undefined && { key }) });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("unreachable-server", messageOf(error), {
      status: 422,
      hint: "check the address and the key",
      cause: error,
    });
  }
};

const dialectRoutes = (dialects: readonly Dialect[]): readonly Described[] =>
  dialects.flatMap(({ name, routes }) =>
    routes.map(({ method, path, does, summary = `${name}: ${does}`, body }) => ({
      method,
      path,
      summary,
      ...(body && { body }),
      ...((does === "start" || does === "follow") && { streams: true }),
      ...(does === "follow" && { query: ["after", "at", "from", "dialect", "style"] }),
    })),
  );

const refuse = (context: Context<Env>, refusal: Refusal): Response =>
  context.json(
    { error: problemOf(refusal) },
    refusal.status as 400,
    refusal instanceof HttpRefusal ? { ...refusal.headers } : {},
  );

const unknownPath = (path: string) =>
  new Refusal("unknown-path", `there is nothing at ${path.slice(0, 100)}`, {
    status: 404,
    hint: "GET /openapi.json lists all paths",
  });

const wrongMethod = (method: string, allow: readonly string[]) =>
  new HttpRefusal(405, "wrong-method", `${method} is not allowed for this path`, `use ${allow.join(", ")}`, {
    headers: { allow: allow.join(", ") },
  });
