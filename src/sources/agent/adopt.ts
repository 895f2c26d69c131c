import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import type { Content, Json } from "../../events.ts";
import { Refusal } from "../../source.ts";
import { type InputSchema, type Tool, type ToolContext, type ToolResult, defineTool, toolResult } from "../../tool.ts";
import { toPrompt } from "./prompt.ts";

/** A tool object of the AI SDK, typed structurally: the return value of its `tool()` and `dynamicTool()`. */
export interface AiSdkTool {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | ((options: any) => string) | undefined;
  /**
   * A zod or other Standard Schema, the return value of the AI SDK's `jsonSchema()` or `zodSchema()`, or a function
   * that returns one of these.
   */
  readonly inputSchema: unknown;
  readonly contextSchema?: unknown;
  readonly needsApproval?: boolean | ((input: any, options: any) => boolean | PromiseLike<boolean>) | undefined;
  readonly execute?: ((input: any, options: any) => unknown) | undefined;
  readonly toModelOutput?: ((options: any) => unknown) | undefined;
}

/**
 * Converts AI SDK tools, named by their keys. Values that `execute` yields before the last one are shown as progress.
 * The result is the output of `toModelOutput` for the last value, with the value itself alongside if it is JSON.
 *
 * Unsupported tools are rejected when the agent is created: tools without `execute`, tools that a provider defines, and
 * tools that require a context. `onInputStart`, `onInputDelta` and `onInputAvailable` are not called. `strict`,
 * `inputExamples` and `providerOptions` are not sent.
 */
export const adopt = (tools: Readonly<Record<string, AiSdkTool>>): Tool[] =>
  Object.entries(tools).map(([name, tool]) => {
    const { title, description, inputSchema, needsApproval, toModelOutput } = tool;
    const execute = executeOf(name, tool);
    return defineTool<unknown>({
      name,
      ...(title !== undefined && { title }),
      description: typeof description === "function" ? description({ context: {} }) : (description ?? ""),
      input: inputOf(name, inputSchema),
      approval: async (input) => {
        const needed =
          typeof needsApproval === "function"
            ? needsApproval(input, { toolCallId: "", messages: [], context: {} })
            : needsApproval;
        return (await needed) ? "always" : "never";
      },
      async run(input, context) {
        const messages = messagesBefore(context);
        const options = { toolCallId: context.call, messages, abortSignal: context.signal, context: {} };
        const output = await lastOf(execute(input, options), context);
        if (!toModelOutput) return output;
        const modelOutput = await toModelOutput({ toolCallId: context.call, input, output });
        return await resultFrom(modelOutput as LanguageModelV4ToolResultOutput, output, context);
      },
    });
  });

const executeOf = (name: string, { type, contextSchema, execute }: AiSdkTool) => {
  if (type === "provider") throw new TypeError(`tool ${name}: its provider defines it; pass it in providerTools`);
  if (contextSchema)
    throw new TypeError(`tool ${name}: it requires a context (contextSchema), which agents do not provide`);
  if (!execute) throw new TypeError(`tool ${name}: it has no execute, so only a client could run it`);
  return execute;
};

/** The return value of the AI SDK's `jsonSchema()` and `zodSchema()`. */
interface AiSdkSchema {
  readonly jsonSchema: Json | PromiseLike<Json>;
  readonly validate?: (value: unknown) => Validated | PromiseLike<Validated>;
}
type Validated =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

const inputOf = (name: string, schema: unknown): InputSchema<unknown> => {
  if (schema === undefined) return { jsonSchema: { type: "object", properties: {}, additionalProperties: false } };
  // The schemas of some libraries are functions.
  if (isObject(schema) && "~standard" in schema) return schema as InputSchema<unknown>;
  if (typeof schema === "function") return inputOf(name, schema());
  const { jsonSchema, validate } = schema as AiSdkSchema;
  if (isObject(jsonSchema) && "then" in jsonSchema)
    throw new TypeError(`tool ${name}: its JSON Schema is a promise; await it before you create the agent`);
  if (!validate) return { jsonSchema };
  const standard = {
    version: 1 as const,
    vendor: "ai",
    validate: async (value: unknown) => {
      const result = await validate(value);
      return result.success ? { value: result.value } : { issues: [{ message: result.error.message }] };
    },
    jsonSchema: { input: () => jsonSchema },
  };
  return { "~standard": standard };
};

/** The messages sent to the model before it made the call, in the AI SDK's format, without the instructions and the call. */
const messagesBefore = ({ messages }: ToolContext) => {
  const asked = messages.findLastIndex(({ role }) => role === "assistant");
  return toPrompt(
    messages.slice(0, asked < 0 ? undefined : asked).filter(({ role }) => role !== "system"),
    [],
  );
};

const lastOf = async (returned: unknown, { progress }: ToolContext): Promise<unknown> => {
  const awaited = await returned;
  if (!isObject(awaited) || !(Symbol.asyncIterator in awaited)) return awaited;
  let last: unknown;
  for await (const value of awaited as AsyncIterable<unknown>) {
    if (last !== undefined) progress({ value: last as Json });
    last = value;
  }
  return last;
};

const resultFrom = async (
  modelOutput: LanguageModelV4ToolResultOutput,
  output: unknown,
  context: ToolContext,
): Promise<ToolResult> => {
  const structured = isJson(output) ? { value: output } : {};
  switch (modelOutput.type) {
    case "text":
    case "error-text":
      return toolResult(modelOutput.value, { ...structured, isError: modelOutput.type === "error-text" });
    case "json":
    case "error-json":
      return toolResult([{ type: "json", value: modelOutput.value as Json }], {
        ...structured,
        isError: modelOutput.type === "error-json",
      });
    case "execution-denied":
      throw new Refusal("denied", modelOutput.reason ?? "The tool denied the call.");
    case "content":
      return toolResult(await Promise.all(modelOutput.value.map((part) => contentOf(part, context))), structured);
  }
};

type OutputPart = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];

const contentOf = async (part: OutputPart, { put }: ToolContext): Promise<Content> => {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type !== "file") throw new TypeError(`toModelOutput returned a part of the unsupported type ${part.type}.`);
  const { mediaType, filename, data } = part;
  const named = filename === undefined ? {} : { name: filename };
  if (data.type === "url") return { type: "link", url: String(data.url), mediaType };
  if (data.type === "text") return { type: "file", ...(await put(data.text, { mediaType, ...named })) };
  if (data.type !== "data") throw new TypeError("toModelOutput returned a file that only its provider can read.");
  const bytes = typeof data.data === "string" ? Buffer.from(data.data, "base64") : data.data;
  return { type: "file", ...(await put(bytes, { mediaType, ...named })) };
};

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Excludes bytes and other objects, which the AI SDK passes only to `toModelOutput` and which do not belong in a log. */
const isJson = (value: unknown): value is Json => {
  if (typeof value !== "object" || value === null) return ["string", "number", "boolean"].includes(typeof value);
  if (Array.isArray(value)) return value.every(isJson);
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value));
  return isPlain && Object.values(value).every((field) => field === undefined || field === null || isJson(field));
};
