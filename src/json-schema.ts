import { z } from "zod";
import type { Json } from "./events.ts";
import { boundedPattern } from "./json-schema/bounded-pattern.ts";
import { expandedSize } from "./json-schema/expanded-size.ts";

/**
 * Turns an untrusted JSON Schema into a validator with bounded running time: drops any `pattern` whose time cannot be
 * bounded. Throws for a schema that cannot be checked.
 */
export const jsonSchema = (schema: Json): z.ZodType => {
  const kept = bounded(schema, 0);
  if (expandedSize(kept) > LARGEST) throw new RangeError("the schema is too large with its references expanded");
  return z.fromJSONSchema(kept as Parameters<typeof z.fromJSONSchema>[0]);
};

/** All issues with their paths, on one line. */
export const issuesText = (issues: readonly { message: string; path?: readonly unknown[] | undefined }[]): string =>
  issues.map(({ message, path }) => located(message, path)).join("; ");

const DEEPEST = 64;
/** Each reference is checked wherever it occurs, so a few definitions that use each other twice could take forever. */
const LARGEST = 20_000;
/** Keywords that hold values, not schemas. */
const VALUES = new Set(["const", "default", "enum", "example", "examples"]);
/** Keywords that hold schemas by arbitrary names. */
const NAMED = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

const bounded = (schema: Json, depth: number): Json => {
  if (depth > DEEPEST) throw new RangeError("the schema is nested too deeply");
  if (Array.isArray(schema)) return schema.map((one) => bounded(one, depth + 1));
  if (typeof schema !== "object" || schema === null) return schema;
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (VALUES.has(key)) kept[key] = value;
    else if (key === "pattern" && typeof value === "string") {
      const pattern = boundedPattern(value);
      if (pattern !== undefined) kept[key] = pattern;
    } else if (NAMED.has(key)) kept[key] = named(value, depth, (name) => name);
    else if (key === "patternProperties") kept[key] = named(value, depth, boundedPattern);
    else kept[key] = bounded(value, depth + 1);
  }
  return kept;
};

const named = (schemas: Json, depth: number, nameOf: (name: string) => string | undefined): Json => {
  if (typeof schemas !== "object" || schemas === null || Array.isArray(schemas)) return schemas;
  const entries = Object.entries(schemas).flatMap(([given, schema]) => {
    const name = nameOf(given);
    return name === undefined ? [] : [[name, bounded(schema, depth + 1)] as const];
  });
  return Object.fromEntries(entries);
};

const located = (message: string, path: readonly unknown[] | undefined): string => {
  const place = path?.map((key) => String(typeof key === "object" && key && "key" in key ? key.key : key)).join(".");
  return place ? `${place}: ${message}` : message;
};
