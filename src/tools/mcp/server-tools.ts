import type { Tool as Definition } from "@modelcontextprotocol/client";
import type { Json } from "../../events.ts";
import { jsonSchema } from "../../json-schema.ts";
import type { InputSchema, Tool } from "../../tool.ts";
import type { McpApproval } from "../mcp.ts";
import { callServer } from "./call-server.ts";
import type { ServerConnection } from "./connect.ts";

type Input = Record<string, unknown>;

/** Converts a server's tools. The same definition on the same connection returns the same object. */
export const serverTools = () => {
  const made = new WeakMap<ServerConnection, Map<string, { readonly key: string; readonly tool: Tool }>>();
  return (connection: ServerConnection, definition: Definition, name: string, approval: McpApproval): Tool => {
    const known = made.get(connection) ?? new Map();
    made.set(connection, known);
    const key = JSON.stringify([approval, definition]);
    const found = known.get(name);
    if (found?.key === key) return found.tool;
    const tool = toolOf(connection, definition, name, approval) as Tool;
    known.set(name, { key, tool });
    return tool;
  };
};

const toolOf = (
  connection: ServerConnection,
  definition: Definition,
  name: string,
  approval: McpApproval,
): Tool<Input> => {
  const title = definition.title ?? definition.annotations?.title;
  return {
    name,
    ...(title !== undefined && { title }),
    description: definition.description ?? title ?? definition.name,
    input: inputOf(definition.inputSchema as unknown as Json),
    approval: approval === "always" || (approval === "destructive" && mayHarm(definition)) ? "always" : "never",
    ...(isRepeatable(definition) && { repeatable: true }),
    run: (input, context) => callServer(connection, definition, input, context),
  };
};

/** Per the protocol, a tool without annotations may be destructive. */
const mayHarm = ({ annotations: { readOnlyHint = false, destructiveHint = true } = {} }: Definition): boolean =>
  !readOnlyHint && destructiveHint;

const isRepeatable = ({ annotations: { readOnlyHint = false, idempotentHint = false } = {} }: Definition): boolean =>
  readOnlyHint || idempotentHint;

/** A schema that cannot be checked here is left to the server. */
const inputOf = (schema: Json): InputSchema<Input> => {
  try {
    jsonSchema(schema);
    return { jsonSchema: schema };
  } catch {
    const unchecked = {
      version: 1,
      vendor: "mcp",
      validate: (value: unknown) => ({ value: value as Input }),
      jsonSchema: { input: () => schema },
    } as const;
    return { "~standard": unchecked };
  }
};
