import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Json } from "../../events.ts";
import { jsonSchema } from "../../json-schema.ts";

/** A story that the demo model plays: one list of beats per model request, until a list contains no call. */
export interface DemoStory {
  readonly name: string;
  /** The message that triggers it. */
  readonly message: string;
  readonly description: string;
  matches(turn: Turn): boolean;
  readonly steps: readonly ((turn: Turn) => readonly Beat[])[];
}

/** One action of the model. A `call` to a tool that is not offered is omitted. A list of strings is streamed in exactly these pieces. */
export type Beat =
  | { readonly think: string | readonly string[] }
  | { readonly say: string | readonly string[] }
  /** `text` is for arguments that are not JSON, `whole` sends them without deltas, and `id` is for testing repeated ids. */
  | {
      readonly call: string;
      readonly input?: unknown;
      readonly text?: string;
      readonly whole?: boolean;
      readonly id?: string;
    }
  /** A tool that the provider runs. */
  | { readonly provider: string; readonly input: Json; readonly result: NonNullable<Json>; readonly takesMs?: number }
  | { readonly cite: { readonly title: string; readonly url: string } }
  /** Rejects the request if it is the first beat, otherwise breaks the stream. `once`: only for the first attempt. */
  | {
      readonly fail: {
        readonly status: number;
        readonly message: string;
        readonly retryMs?: number;
        readonly once?: boolean;
      };
    }
  /** Any other part that a provider may send. */
  | { readonly part: LanguageModelV4StreamPart };

/** The state of the conversation that stories depend on. */
export interface Turn {
  /** The last user message. */
  readonly message: string;
  readonly system: string;
  /** The files in that message, except text files, which are already converted to text. */
  readonly files: readonly { readonly name: string; readonly mediaType: string; readonly bytes: number }[];
  /** The offered tools by name, with their input schemas. */
  readonly tools: ReadonlyMap<string, Json>;
  /** The number of model responses since the last user message. */
  readonly step: number;
  /** The tool results since the last user message, in order. */
  readonly results: readonly { readonly name: string; readonly text: string; readonly isError: boolean }[];
  /** The texts of all results of one tool. */
  resultsOf(name: string): readonly string[];
}

export const readTurn = ({ prompt, tools }: LanguageModelV4CallOptions): Turn => {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const since = prompt.slice(asked + 1);
  const results = since.flatMap((message) =>
    message.role !== "tool"
      ? []
      : message.content.flatMap((part) => {
          if (part.type !== "tool-result") return [];
          const { output, toolName: name } = part;
          const value = "value" in output ? output.value : (output.reason ?? "");
          const text = typeof value === "string" ? value : JSON.stringify(value);
          return [{ name, text, isError: output.type.startsWith("error") }];
        }),
  );
  return {
    message: textOf(prompt[asked]),
    files: filesOf(prompt[asked]),
    system: prompt.map((message) => (message.role === "system" ? message.content : "")).join("\n"),
    tools: new Map(
      (tools ?? []).flatMap((tool) => (tool.type === "function" ? [[tool.name, tool.inputSchema as Json]] : [])),
    ),
    step: since.filter(({ role }) => role === "assistant").length,
    results,
    resultsOf: (name) => results.filter((result) => result.name === name).map(({ text }) => text),
  };
};

/** The beats for this request. A step without any offered call is merged into the next one. */
export const beatsOf = (story: DemoStory, turn: Turn): readonly Beat[] => {
  const groups: Beat[][] = [[]];
  for (const step of story.steps) {
    const beats = step(turn).filter(
      (beat) => !("call" in beat) || turn.tools.has(beat.call) || beat.text !== undefined,
    );
    groups.at(-1)?.push(...beats);
    if (beats.some((beat) => "call" in beat)) groups.push([]);
  }
  return groups[turn.step] ?? [{ say: "That is the end of this scripted story." }];
};

/** Limits a story to agents that can make all of its calls. Otherwise its text would describe calls that never happened. */
export const withItsTools = (story: DemoStory): DemoStory => ({
  ...story,
  matches: (turn) =>
    story.matches(turn) &&
    story.steps.every((step) =>
      step(turn).every((beat) => !("call" in beat) || takes(turn.tools.get(beat.call), beat.input)),
    ),
});

/** Another agent may have a tool of the same name with a different schema, or different sub-agents. */
const takes = (schema: Json | undefined, input: unknown): boolean => {
  if (schema === undefined) return false;
  try {
    return jsonSchema(schema).safeParse(input).success;
  } catch {
    return false;
  }
};

const textOf = (message: LanguageModelV4Prompt[number] | undefined): string =>
  message?.role === "user" ? message.content.map((part) => (part.type === "text" ? part.text : "")).join("") : "";

const filesOf = (message: LanguageModelV4Prompt[number] | undefined): Turn["files"] =>
  message?.role !== "user"
    ? []
    : message.content.flatMap((part) => {
        if (part.type !== "file") return [];
        const { mediaType, filename: name = "a file without a name", data } = part;
        const bytes = data.type === "data" ? Buffer.from(data.data as string, "base64").length : 0;
        return [{ name, mediaType, bytes }];
      });
