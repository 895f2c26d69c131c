import { z } from "zod";
import type { Json } from "../events.ts";
import { Refusal } from "../source.ts";
import { type Approval, type Tool, type ToolContext, defineTool } from "../tool.ts";
import { resultOfAnswer } from "../http-answer.ts";
import { type Operation, readOperations } from "./http/operation.ts";
import { sendRequest } from "./http/request.ts";

export interface HttpOptions {
  /** `host:port` of servers that may be reached although their address is private, such as `localhost:8080`. Default: none. */
  readonly allowPrivate?: readonly string[];
  /** The most to receive of a response. Default: 10 MB. */
  readonly maxBytes?: number;
  /** Ends the call as `timeout`. Default: 30 seconds. */
  readonly timeoutMs?: number;
}

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Fetches a public URL. The server's own network is out of reach unless allowed. */
export const http = ({ allowPrivate = [], maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }: HttpOptions = {}): Tool =>
  defineTool({
    name: "fetch_url",
    description:
      "Fetches a URL. Returns a page's readable text and links, JSON, or a file for images and other data. Methods other than GET and HEAD can change something, so the user is asked first.",
    input: z.object({
      url: z.string().max(8192).describe("The full URL, with http:// or https://"),
      method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).optional().describe("Default: GET"),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.string().optional().describe("The body, for POST, PUT and PATCH. Set its content-type in headers"),
    }),
    doing: ({ url }) => `Fetching ${url.slice(0, 100)}…`,
    approval: ({ method = "GET" }) => approvalFor(method),
    timeoutMs,
    async run({ url, method = "GET", headers = {}, body }, context) {
      requireEndToEnd(headers);
      if (body !== undefined && approvalFor(method) === "never") {
        throw new Refusal(
          "bad-request",
          `A ${method} request cannot have a body. Use POST, or put the values into the URL.`,
        );
      }
      const request = { url, method, headers, ...(body === undefined ? {} : { body }) };
      return await resultOfAnswer(
        await sendRequest(request, { allowPrivate, maxBytes, signal: context.signal }),
        context,
      );
    },
  }) as Tool;

export interface OpenapiOptions extends HttpOptions {
  /** A parsed OpenAPI document, 3.0 or 3.1. References must be within the document. */
  readonly document: object;
  /** The base URL of the API. The document's own servers are ignored. */
  readonly baseUrl: string;
  /**
   * Limits the tools to these operations, by tool name: the operationId, or method and path such as `get_users_id`.
   * Default: all that can be called.
   */
  readonly operations?: readonly string[];
  /** Sent with every request to this API, never to another server. For example, credentials. */
  readonly headers?: Readonly<Record<string, string>> | ((context: ToolContext) => Readonly<Record<string, string>>);
  /** Default: `always` for methods other than GET and HEAD. */
  readonly approval?: Approval | ((method: string) => Approval);
}

/** Creates one tool per operation of an API. Omits operations that only take a multipart or binary body. */
export const openapi = (options: OpenapiOptions): Tool[] => {
  const operations = readOperations(options.document as Record<string, Json>);
  const wanted = options.operations ?? operations.map((operation) => operation.name);
  if (new Set(wanted).size < wanted.length)
    throw new Error("Two operations in the document have the same name. List those you want.");
  return wanted.map((name) => {
    const operation = operations.find((one) => one.name === name);
    if (operation) return operationTool(operation, options);
    throw new Error(
      `The document has no operation ${name} that can be called. Available operations: ${operations.map((one) => one.name).join(", ")}.`,
    );
  });
};

const operationTool = (operation: Operation, options: OpenapiOptions): Tool => {
  const { approval = approvalFor, allowPrivate = [], maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = options;
  return defineTool<Record<string, unknown>>({
    name: operation.name,
    description: operation.description,
    input: { jsonSchema: operation.schema },
    approval: typeof approval === "function" ? approval(operation.method) : approval,
    timeoutMs,
    async run(input, context) {
      const request = operation.request(options.baseUrl, input);
      const own = typeof options.headers === "function" ? options.headers(context) : (options.headers ?? {});
      requireEndToEnd(request.headers);
      const lower = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
      const whole = { ...request, headers: { accept: "application/json, */*;q=0.5", ...request.headers, ...lower } };
      return await resultOfAnswer(
        await sendRequest(whole, { allowPrivate, maxBytes, signal: context.signal }),
        context,
      );
    },
  }) as Tool;
};

const approvalFor = (method: string): Approval => (method === "GET" || method === "HEAD" ? "never" : "always");

/** Connection headers cannot be set: they could make one request parse as two, or reach another host. */
const requireEndToEnd = (headers: Readonly<Record<string, string>>): void => {
  const found = Object.keys(headers).find((name) =>
    /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*)$/i.test(name),
  );
  if (found) throw new Refusal("bad-header", `The header ${found} cannot be set. Leave it out.`);
};
