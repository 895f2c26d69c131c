import { type InputSchema, type Tool, defineTool } from "../../tool.ts";

/** A tool object of the AI SDK, by shape: what its `tool()` and `dynamicTool()` return. */
export interface AiSdkTool {
  readonly description?: string | ((...context: never[]) => string);
  readonly inputSchema: unknown;
  readonly needsApproval?: boolean | ((input: never, options: never) => boolean | PromiseLike<boolean>);
  readonly execute?: (input: never, options: never) => unknown;
}

/** AI SDK tools, named by their keys. Values that `execute` yields before its last one are shown as progress. */
export const adopt = (tools: Readonly<Record<string, AiSdkTool>>): Tool[] =>
  Object.entries(tools).map(([name, { description, inputSchema, needsApproval, execute }]) => {
    if (!execute) throw new TypeError(`tool ${name}: it has no execute, so only a client could run it`);
    return defineTool<unknown>({
      name,
      description: typeof description === "string" ? description : "",
      input: inputSchema as InputSchema<unknown>,
      approval: async (input) => {
        const needed = typeof needsApproval === "function" ? needsApproval(input as never, {} as never) : needsApproval;
        return (await needed) ? "always" : "never";
      },
      async run(input, context) {
        const options = { toolCallId: context.call, messages: [], abortSignal: context.signal, context: {} };
        const returned: unknown = await execute(input as never, options as never);
        if (!isAsyncIterable(returned)) return returned;
        let last: unknown;
        for await (const value of returned) {
          if (last !== undefined) context.progress({ value: last as never });
          last = value;
        }
        return last;
      },
    });
  });

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;
