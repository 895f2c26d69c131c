/** A route in the OpenAPI document. */
export interface Described {
  readonly method: "GET" | "POST" | "DELETE";
  /** `:name` matches one segment. */
  readonly path: string;
  readonly summary: string;
  readonly query?: readonly string[];
  readonly body?: () => unknown;
  readonly streams?: boolean;
}

/** The OpenAPI document of the mounted routes. */
export const openapi = (version: string, basePath: string, routes: readonly Described[]): unknown => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Runcast", version, license: { name: "MIT", identifier: "MIT" } },
    ...(basePath && { servers: [{ url: basePath }] }),
    security: [{}, { key: [] }, { token: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer" },
        token: { type: "apiKey", in: "query", name: "token", description: "the token of a share link, for one run" },
      },
      responses: {
        Refusal: { description: "The reason for the refusal.", content: { "application/json": { schema: refusal } } },
      },
    },
  };
};

const operation = ({ path, summary, query = [], body, streams }: Described): unknown => ({
  summary,
  parameters: [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: "path", required: true, schema })),
    ...query.map((name) => ({ name, in: "query", schema })),
    ...(streams
      ? [{ name: "Last-Event-ID", in: "header", schema, description: "the id of the last frame that arrived" }]
      : []),
  ],
  ...(body && { requestBody: { content: { "application/json": { schema: body() } } } }),
  responses: {
    "2XX": { description: "Done.", content: { [streams ? "text/event-stream" : "*/*"]: {} } },
    default: { $ref: "#/components/responses/Refusal" },
  },
});

const schema = { type: "string" };
const refusal = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        hint: { type: "string" },
        retryable: { type: "boolean" },
      },
    },
  },
};
