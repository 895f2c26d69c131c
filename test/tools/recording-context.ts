import type { FileRef } from "../../src/events.ts";
import { type Tool, type ToolContext, ToolResult } from "../../src/tool.ts";

interface Emission {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface RecordingContext extends ToolContext {
  /** Everything the tool emitted, in order. */
  readonly emitted: readonly Emission[];
  readonly kept: readonly { ref: FileRef; bytes: Uint8Array }[];
  of(type: string): readonly Emission[];
  /** The concatenated output of one stream. */
  outputOf(stream: "stdout" | "stderr"): string;
}

/** A tool context that records what the tool emits. */
export const recordingContext = ({
  signal = new AbortController().signal,
  onOutput,
}: { signal?: AbortSignal; onOutput?: (text: string) => void } = {}): RecordingContext => {
  const emitted: Emission[] = [];
  const kept: { ref: FileRef; bytes: Uint8Array }[] = [];
  const note = (type: string, value: object) => void emitted.push({ type, ...value });
  return {
    emitted,
    kept,
    of: (type) => emitted.filter((one) => one.type === type),
    outputOf: (stream) =>
      emitted
        .filter((one) => one.type === "output" && one["stream"] === stream)
        .map((one) => one["text"])
        .join(""),
    call: "call-1",
    signal,
    status: (text) => note("status", { text }),
    progress: (progress) => note("progress", progress),
    output(text, stream = "stdout") {
      note("output", { text, stream });
      onOutput?.(text);
    },
    say(text) {
      note("say", { text });
      return Object.assign((more: string) => note("say", { text: more }), {
        replace: (instead: string) => note("say-replace", { text: instead }),
        end: () => note("say-end", {}),
      });
    },
    cite: (source) => note("citation", source),
    file: async (file) => note("file", file),
    embed: (embed) => note("embed", embed),
    notify: (text, level = "info") => note("notice", { text, level }),
    data: (name, value, id) => note("data", { name, value, id }),
    confirm: async () => false,
    ask: async () => undefined,
    execute: async () => undefined,
    agent: async () => ({ agent: "agent-1", outcome: "error", text: "" }),
    cancel: (reason) => note("cancel", { reason }),
    user: undefined,
    thread: undefined,
    run: "run-1",
    messages: [],
    files: [],
    model: undefined,
    metadata: {},
    settings: {},
    credentials: () => undefined,
    async put(bytes, { mediaType, name }) {
      const all = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      const ref = { file: `file-${kept.length + 1}`, mediaType, bytes: all.length, ...(name ? { name } : {}) };
      kept.push({ ref, bytes: all });
      return ref;
    },
  };
};

/** Calls a tool as the loop does: only with input that matches its schema. */
export const callTool = async (
  tool: Tool,
  input: unknown,
  context: ToolContext = recordingContext(),
): Promise<unknown> => {
  if (!("~standard" in tool.input)) return await tool.run(input, context);
  const checked = await tool.input["~standard"].validate(input);
  if (checked.issues) throw new Error(`invalid input: ${checked.issues.map((issue) => issue.message).join("; ")}`);
  return await tool.run(checked.value, context);
};

/** The text of a result, as the model reads it. */
export const textOf = (result: unknown): string => {
  if (!(result instanceof ToolResult)) return typeof result === "string" ? result : JSON.stringify(result);
  return result.content.map((part) => (part.type === "text" ? part.text : JSON.stringify(part))).join("\n");
};

export const toolNamed = (tools: readonly Tool[], name: string): Tool => {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
};
