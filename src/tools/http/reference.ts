import type { Json } from "../../events.ts";

export type Node = Readonly<Record<string, Json>>;

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a value refers to, if it is `{ $ref: "#/…" }`; itself otherwise. References to other documents are unknown. */
export const resolve = (document: Node, value: Json | undefined): Json | undefined => {
  let current = value;
  for (let step = 0; step < 50 && isNode(current) && typeof current["$ref"] === "string"; step++) {
    current = follow(document, current["$ref"]);
  }
  return current;
};

/** A schema of OpenAPI 3.0 or 3.1 as JSON Schema that stands alone. Where it contains itself, anything is allowed. */
export const toJsonSchema = (document: Node, schema: Json): Json => {
  let count = 0;
  const copy = (value: Json, within: readonly string[]): Json => {
    // Schemas that refer to one another double with every level.
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
/** What OpenAPI adds to JSON Schema. */
const DROPPED = new Set(["nullable", "discriminator", "xml", "externalDocs", "example"]);
/** Keys whose value is data, and keys whose value names schemas: neither is a schema itself. */
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
