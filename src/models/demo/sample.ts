import type { Json } from "../../events.ts";

/** Sample arguments that match a simple JSON Schema. */
export const sample = (schema: Json): Json => {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return {};
  const { type, properties, enum: choices, default: given } = schema;
  if (given !== undefined) return given;
  if (Array.isArray(choices)) return choices[0] ?? null;
  switch (type) {
    case "string":
      return "Lantern";
    case "number":
    case "integer":
      return 3;
    case "boolean":
      return true;
    case "array":
      return [];
    default:
      return Object.fromEntries(
        Object.entries((properties ?? {}) as Record<string, Json>).map(([key, value]) => [key, sample(value)]),
      );
  }
};
