import type { Json } from "../../events.ts";
import { issuesText, jsonSchema } from "../../json-schema.ts";
import type { InputSchema, StandardSchema } from "../../tool.ts";

export interface Schema {
  /** The JSON Schema that the model receives. */
  readonly json: Json;
  check(value: Json): Promise<{ readonly value: unknown } | { readonly issues: string }>;
}

/** Throws for a schema that cannot be converted to JSON Schema, so the mistake shows when the agent is created. */
export const schemaOf = (input: InputSchema<unknown>, tool: string): Schema => {
  const standard = "~standard" in input ? input : fromJsonSchema(input.jsonSchema, tool);
  return {
    json: "~standard" in input ? toJsonSchema(input, tool) : input.jsonSchema,
    async check(value) {
      const result = await standard["~standard"].validate(value);
      if (!result.issues) return { value: result.value };
      return { issues: issuesText(result.issues) };
    },
  };
};

interface SaysJsonSchema {
  readonly jsonSchema?: { input(options: { target: string }): unknown };
}

const toJsonSchema = (schema: StandardSchema<unknown>, tool: string): Json => {
  const standard = schema["~standard"] as SaysJsonSchema;
  if (!standard.jsonSchema) throw new TypeError(`tool ${tool}: its input schema cannot be converted to JSON Schema`);
  const { $schema: _, ...json } = standard.jsonSchema.input({ target: "draft-07" }) as Record<string, Json>;
  return json;
};

const fromJsonSchema = (json: Json, tool: string): StandardSchema<unknown> => {
  try {
    return jsonSchema(json);
  } catch (cause) {
    throw new TypeError(`tool ${tool}: its JSON Schema cannot be checked: ${(cause as Error).message}`, { cause });
  }
};
