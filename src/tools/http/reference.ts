import type { Json } from "../../events.ts";

export type Node = Readonly<Record<string, Json>>;

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The target of `{ $ref: "#/…" }`, or the value itself if it is not a reference. References to other documents are not resolved. */
export const resolve = (document: Node, value: Json | undefined): Json | undefined => {
  let current = value;
  for (let step = 0; step < 50 && isNode(current) && typeof current["$ref"] === "string"; step++) {
    current = follow(document, current["$ref"]);
  }
  return current;
};

/**
 * Converts a schema of OpenAPI 3.0 or 3.1 to a self-contained JSON Schema. A recursive reference becomes a schema that
 * allows anything.
 */
export const toJsonSchema = (document: Node, schema: Json): Json => {
  let count = 0;
  const copy = (value: Json, within: readonly string[]): Json => {
    // Schemas that reference each other grow exponentially with depth.
    if (++count > MAX_NODES) return {};
    if (Array.isArray(value)) return value.map((one) => copy(one, within));
    if (!isNode(value)) return value;
    const reference = value["$ref"];
    if (typeof reference === "string") {
      if (within.includes(reference)) return {};
      return copy(follow(document, reference) ?? {}, [...within, reference]);
    }
    const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key) && !key.startsWith("x-"));
    const plain: Record<string, Json> = Object.fromEntries(
      entries.map(([key, one]) => [
        key,
        LITERAL.has(key) ? one : NAMED.has(key) ? copyEach(one, within) : copy(one, within),
      ]),
    );
    if (value["nullable"] === true && typeof value["type"] === "string") plain["type"] = [value["type"], "null"];
    return plain;
  };
  const copyEach = (value: Json, within: readonly string[]): Json =>
    isNode(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one, within)])) : {};
  return copy(schema, []);
};

const MAX_NODES = 20_000;
/** OpenAPI's additions to JSON Schema. */
const DROPPED = new Set(["nullable", "discriminator", "xml", "externalDocs", "example"]);
/** Keys whose value is data, and keys whose value maps names to schemas. Neither value is itself a schema. */
const LITERAL = new Set(["enum", "const", "default", "examples", "required"]);
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

const follow = (document: Node, reference: string): Json | undefined => {
  if (!reference.startsWith("#/")) return undefined;
  let at: Json | undefined = document;
  for (const part of reference.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isNode(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
};
