import type { Json } from "../events.ts";

/** The number of values in a schema if each reference were replaced by what it names. A recursive one counts once. */
export const expandedSize = (schema: Json): number => {
  const sizes = new Map<string, number>();
  const sizeOf = (value: Json): number => {
    if (typeof value !== "object" || value === null) return 1;
    const { $ref: reference } = value as { readonly $ref?: Json };
    const own = Object.values(value).reduce<number>((sum, one) => sum + sizeOf(one), 1);
    return typeof reference === "string" ? own + namedSize(reference) : own;
  };
  const namedSize = (reference: string): number => {
    const known = sizes.get(reference);
    if (known !== undefined) return known;
    sizes.set(reference, 1);
    const size = sizeOf(targetOf(schema, reference));
    sizes.set(reference, size);
    return size;
  };
  // Definitions count where they are used.
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return sizeOf(schema);
  const { $defs: _, definitions: __, ...root } = schema;
  return sizeOf(root);
};

/** What a reference within the schema names. Null if there is no such value. */
const targetOf = (schema: Json, reference: string): Json =>
  reference
    .replace(/^#\/?/, "")
    .split("/")
    .filter((key) => key !== "")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<Json>((value, key) => (value as Readonly<Record<string, Json>> | null)?.[key] ?? null, schema);
