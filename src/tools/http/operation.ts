import type { Json } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { type Node, isNode, resolve, toJsonSchema } from "./reference.ts";
import type { Request } from "./request.ts";

/** One operation of an OpenAPI document: its input, and the request that a call becomes. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly description: string;
  readonly schema: Json;
  request(baseUrl: string, input: Readonly<Record<string, unknown>>): Request;
}

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options"];

/** Every operation whose body, if any, can be sent: JSON, a form or text. */
export const readOperations = (document: Node): readonly Operation[] =>
  Object.entries(nodeOf(document["paths"])).flatMap(([path, entry]) => {
    const item = nodeOf(resolve(document, entry));
    return METHODS.flatMap((method) => {
      const operation = item[method];
      return isNode(operation) ? readOperation(document, path, method, item, operation) : [];
    });
  });

interface Parameter {
  readonly field: string;
  readonly name: string;
  readonly in: string;
  readonly style: string;
  readonly explode: boolean;
  readonly required: boolean;
  readonly schema: Json;
}

const readOperation = (
  document: Node,
  path: string,
  method: string,
  item: Node,
  operation: Node,
): readonly Operation[] => {
  const parameters = readParameters(document, [...listOf(item["parameters"]), ...listOf(operation["parameters"])]);
  const body = resolve(document, operation["requestBody"]);
  const content = isNode(body) ? nodeOf(body["content"]) : {};
  const mediaType = Object.keys(content).find((type) => /json|x-www-form-urlencoded|^text\//i.test(type));
  if (Object.keys(content).length > 0 && !mediaType) return [];
  const bodySchema = mediaType ? toJsonSchema(document, nodeOf(content[mediaType])["schema"] ?? {}) : undefined;
  const properties: Record<string, Json> = Object.fromEntries(parameters.map(({ field, schema }) => [field, schema]));
  if (bodySchema !== undefined) properties["body"] = bodySchema;
  const required = parameters.filter((one) => one.required).map((one) => one.field);
  if (isNode(body) && body["required"] === true) required.push("body");
  return [
    {
      name: nameOf(operation["operationId"], method, path),
      method: method.toUpperCase(),
      description:
        [operation["summary"], operation["description"]].filter(Boolean).join("\n\n") ||
        `${method.toUpperCase()} ${path}`,
      schema: { type: "object", properties, required, additionalProperties: false },
      request: (baseUrl, input) => buildRequest(baseUrl, path, method.toUpperCase(), parameters, mediaType, input),
    },
  ];
};

const readParameters = (document: Node, list: readonly Json[]): readonly Parameter[] => {
  // A parameter of the operation overrides the path's parameter with the same name and location.
  const found = new Map<string, Node>();
  for (const one of list) {
    const parameter = nodeOf(resolve(document, one));
    found.set(`${String(parameter["in"])} ${String(parameter["name"])}`, parameter);
  }
  const fields = new Set(["body"]);
  return [...found.values()].map((parameter) => {
    const name = String(parameter["name"]);
    const place = String(parameter["in"]);
    const style = String(parameter["style"] ?? (place === "query" || place === "cookie" ? "form" : "simple"));
    let field = name.replace(/[^\w.-]+/g, "_");
    while (fields.has(field)) field = `${place}_${field}`;
    fields.add(field);
    const schema = nodeOf(toJsonSchema(document, parameter["schema"] ?? {}));
    const text = parameter["description"];
    return {
      field,
      name,
      in: place,
      style,
      explode: typeof parameter["explode"] === "boolean" ? parameter["explode"] : style === "form",
      required: parameter["required"] === true || place === "path",
      schema: typeof text === "string" ? { ...schema, description: text } : schema,
    };
  });
};

const buildRequest = (
  baseUrl: string,
  template: string,
  method: string,
  parameters: readonly Parameter[],
  mediaType: string | undefined,
  input: Readonly<Record<string, unknown>>,
): Request => {
  const headers: Record<string, string> = {};
  const query: string[] = [];
  const cookies: string[] = [];
  let path = template;
  for (const parameter of parameters) {
    const value = input[parameter.field];
    if (value === undefined) continue;
    if (parameter.in === "path") path = path.replaceAll(`{${parameter.name}}`, () => encode(plain(value)));
    else if (parameter.in === "query") query.push(...pairs(parameter, value));
    else if (parameter.in === "cookie") cookies.push(`${encode(parameter.name)}=${encode(plain(value))}`);
    else headers[parameter.name.toLowerCase()] = plain(value);
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
  requireSafe(path, template);
  const url = new URL(baseUrl.replace(/\/+$/, "") + path);
  url.search = query.join("&");
  const body = input["body"];
  if (body === undefined || !mediaType) return { url: url.href, method, headers };
  headers["content-type"] = mediaType;
  return { url: url.href, method, headers, body: encodeBody(mediaType, body) };
};

/** A URL parser removes "." and ".." segments, even if they come from a value, and the URL would then name another operation. */
const requireSafe = (path: string, template: string): void => {
  const segments = path.split("/");
  for (const [index, segment] of template.split("/").entries()) {
    if (!segment.includes("{") || !/^\.{0,2}$|\{/.test(segments[index]!)) continue;
    throw new Refusal(
      "bad-path",
      `The value for ${segment} is missing, empty, '.' or '..', which cannot be part of a path.`,
    );
  }
};

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

const plain = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(plain).join(",");
  if (isNode(value)) return Object.entries(value).flat().map(plain).join(",");
  return String(value);
};

const pairs = ({ name, style, explode }: Parameter, value: unknown): string[] => {
  const pair = (key: string, one: unknown) => `${encode(key)}=${encode(plain(one))}`;
  const separator = { spaceDelimited: "%20", pipeDelimited: "%7C" }[style] ?? ",";
  if (Array.isArray(value)) {
    return explode
      ? value.map((one) => pair(name, one))
      : [`${encode(name)}=${value.map((one) => encode(plain(one))).join(separator)}`];
  }
  if (!isNode(value)) return [pair(name, value)];
  if (style === "deepObject") return Object.entries(value).map(([key, one]) => pair(`${name}[${key}]`, one));
  return explode ? Object.entries(value).map(([key, one]) => pair(key, one)) : [pair(name, value)];
};

const encodeBody = (mediaType: string, body: unknown): string => {
  if (/json/i.test(mediaType)) return JSON.stringify(body);
  if (!/x-www-form-urlencoded/i.test(mediaType)) return plain(body);
  const parameter = { field: "", name: "", in: "query", style: "form", explode: true, required: false, schema: {} };
  return Object.entries(nodeOf(body as Json))
    .flatMap(([name, value]) => pairs({ ...parameter, name, explode: Array.isArray(value) }, value))
    .join("&");
};

const nameOf = (operationId: Json | undefined, method: string, path: string): string =>
  (typeof operationId === "string" && operationId ? operationId : `${method}${path}`)
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 64);

const nodeOf = (value: Json | undefined): Node => (isNode(value) ? value : {});
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
