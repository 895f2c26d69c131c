/** The content of one recorded response. */
export interface Recording {
  readonly text: string;
  readonly thinking: string;
  /** The calls that the agent must run, with their arguments. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage: { readonly input: number; readonly output: number };
  readonly failed: boolean;
}

/** Reads a recording manually, without any provider's library. */
export const recordedIn = (format: string, lines: readonly string[]): Recording => {
  const read = { "openai-chat": chat, "openai-responses": responses, anthropic, google }[format];
  if (!read) throw new Error(`no reader for ${format}`);
  return read(lines.map((line) => JSON.parse(line)));
};

/** Any value that a provider may have written. */
type Chunk = any;
const join = (pieces: readonly (string | null | undefined)[]): string => pieces.map((piece) => piece ?? "").join("");
const parsed = (text: string): unknown => JSON.parse(text === "" ? "{}" : text);

const chat = (chunks: readonly Chunk[]): Recording => {
  const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta ?? []);
  const calls = new Map<number, { name: string; text: string }>();
  for (const { index = 0, function: called } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const call = calls.get(index) ?? calls.set(index, { name: called.name, text: "" }).get(index)!;
    call.text += called.arguments ?? "";
  }
  const usage = chunks.findLast((chunk) => chunk.usage)?.usage ?? {};
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  // Some servers count reasoning separately from the completion. The total is what was billed.
  const isBeside = usage.total_tokens === usage.prompt_tokens + usage.completion_tokens + reasoning;
  return {
    text: join(deltas.map(({ content }) => content)),
    thinking: join(deltas.map((delta) => delta.reasoning_content)),
    calls: [...calls.values()].map(({ name, text }) => ({ name, input: parsed(text) })),
    usage: { input: usage.prompt_tokens, output: usage.completion_tokens + (isBeside ? reasoning : 0) },
    failed: false,
  };
};

const responses = (chunks: readonly Chunk[]): Recording => {
  const items = chunks.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  const deltas = (...types: string[]) =>
    join(chunks.filter(({ type }) => types.includes(type)).map(({ delta }) => delta));
  const { usage } = chunks.at(-1).response;
  return {
    text: deltas("response.output_text.delta"),
    thinking: deltas("response.reasoning_text.delta", "response.reasoning_summary_text.delta"),
    calls: items.flatMap(({ type, name, arguments: text, input, action }) => {
      if (type === "function_call") return [{ name, input: parsed(text) }];
      if (type === "custom_tool_call") return [{ name, input }];
      return type === "local_shell_call" ? [{ name: "local_shell", input: { action } }] : [];
    }),
    usage: { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 },
    failed: chunks.some(({ type }) => type === "response.failed"),
  };
};

const anthropic = (chunks: readonly Chunk[]): Recording => {
  const deltas = (kind: string, field: string) =>
    join(chunks.flatMap(({ delta }) => (delta?.type === kind ? [delta[field]] : [])));
  const calls = chunks.flatMap(({ type, index, content_block: block }) => {
    if (type !== "content_block_start" || block.type !== "tool_use") return [];
    const own = chunks.filter((chunk) => chunk.index === index && chunk.delta?.type === "input_json_delta");
    return [{ name: block.name, input: parsed(join(own.map(({ delta }) => delta.partial_json))) }];
  });
  const { usage } = chunks.findLast(({ type }) => type === "message_delta");
  return {
    text: deltas("text_delta", "text"),
    thinking: deltas("thinking_delta", "thinking"),
    calls,
    usage: {
      input: usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
      output: usage.output_tokens,
    },
    failed: false,
  };
};

const google = (chunks: readonly Chunk[]): Recording => {
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const calls: { name: string; input: Record<string, unknown> }[] = [];
  for (const { functionCall: call } of parts) {
    if (!call) continue;
    if (call.name) calls.push({ name: call.name, input: { ...call.args } });
    for (const { jsonPath, stringValue, numberValue, boolValue } of call.partialArgs ?? []) {
      const key = jsonPath.slice(2);
      const input = calls.at(-1)!.input;
      if (stringValue === undefined) input[key] = numberValue ?? boolValue;
      else input[key] = `${(input[key] as string | undefined) ?? ""}${stringValue}`;
    }
  }
  const usage = chunks.findLast(({ usageMetadata }) => usageMetadata?.candidatesTokenCount)?.usageMetadata ?? {};
  return {
    text: join(parts.map(({ text, thought }) => (thought ? "" : text))),
    thinking: join(parts.map(({ text, thought }) => (thought ? text : ""))),
    calls,
    usage: {
      input: usage.promptTokenCount,
      output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    },
    failed: false,
  };
};
