/** What an answer may contain. */
export const CAPABILITIES = ["text", "thinking", "tools", "citations", "images", "usage", "errors"] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
export const SOURCE = { url: "https://a.example/", title: "A" };
export const REASON = "The model is asleep.";

/** One provider's answers in its own format: handwritten from its documentation, one for each feature of the format. */
export interface Recorded {
  readonly answers: Readonly<Partial<Record<Exclude<Capability, "errors">, string>>>;
  readonly error: { readonly status: number; readonly body: unknown };
}

const frames = (values: readonly unknown[], named = false): string =>
  values
    .map((value) => {
      const { type } = value as { type?: string };
      return `${named ? `event: ${type}\n` : ""}data: ${JSON.stringify(value)}\n\n`;
    })
    .join("");

// ── Chat completions ──────────────────────────────────────────────────────────────────────────────────────────────────

interface ChatForms {
  readonly thinking?: object;
  readonly citations?: { readonly delta?: object; readonly chunk?: object };
  readonly images?: object;
  /** Sent between the frames to keep the connection open. */
  readonly comment?: string;
  readonly error?: Recorded["error"];
}

const chat = ({ thinking, citations, images, comment = "", error }: ChatForms): Recorded => {
  const chunk = (delta: object, more: object = {}, finish: string | null = null) => ({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
  const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
  const answer = (...chunks: object[]) =>
    comment +
    frames([chunk({ role: "assistant", content: "" }), ...chunks]) +
    comment +
    frames([chunk({}, {}, "stop"), { id: "c1", object: "chat.completion.chunk", choices: [], usage }]) +
    "data: [DONE]\n\n";
  const text = [chunk({ content: "Hello " }), chunk({ content: "there." })];
  const call = (about: object) => chunk({ tool_calls: [{ index: 0, ...about }] });
  return {
    answers: {
      text: answer(...text),
      usage: answer(...text),
      tools: answer(
        call({ id: "call_1", type: "function", function: { name: "weather", arguments: "" } }),
        call({ function: { arguments: '{"city":' } }),
        call({ function: { arguments: '"Oslo"}' } }),
      ),
      ...(thinking && { thinking: answer(chunk(thinking), ...text) }),
      ...(citations && { citations: answer(...text, chunk(citations.delta ?? { content: "" }, citations.chunk)) }),
      ...(images && { images: answer(...text, chunk(images)) }),
    },
    error: error ?? { status: 400, body: { error: { message: REASON, type: "invalid_request_error", code: null } } },
  };
};

const annotations = [{ type: "url_citation", url_citation: { ...SOURCE, start_index: 0, end_index: 5 } }];
const images = [{ type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } }];

// ── Responses ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const responses = (): Recorded => {
  const item = (at: "added" | "done", about: object) => ({
    type: `response.output_item.${at}`,
    output_index: 0,
    item: about,
  });
  const answer = (...events: object[]) =>
    frames(
      [
        { type: "response.created", response: { id: "resp_1", created_at: 1, model: "m" } },
        ...events,
        { type: "response.completed", response: { usage: { input_tokens: 5, output_tokens: 7 } } },
      ],
      true,
    );
  const message = { type: "message", id: "msg_1" };
  const text = (...more: object[]) => [
    item("added", message),
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, delta: "Hello there." },
    ...more,
    item("done", message),
  ];
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather" };
  const delta = (part: string) => ({
    type: "response.function_call_arguments.delta",
    item_id: "fc_1",
    output_index: 0,
    delta: part,
  });
  const thought = { type: "reasoning", id: "rs_1", encrypted_content: null };
  const summary = { item_id: "rs_1", output_index: 0, summary_index: 0 };
  const annotation = { type: "url_citation", ...SOURCE, start_index: 0, end_index: 5 };
  const place = { item_id: "msg_1", output_index: 0, content_index: 0, annotation_index: 0 };
  return {
    answers: {
      text: answer(...text()),
      usage: answer(...text()),
      thinking: answer(
        item("added", thought),
        { type: "response.reasoning_summary_part.added", ...summary },
        { type: "response.reasoning_summary_text.delta", ...summary, delta: "Hm." },
        item("done", { ...thought, summary: [{ type: "summary_text", text: "Hm." }] }),
        ...text(),
      ),
      tools: answer(
        item("added", { ...call, arguments: "" }),
        ...[delta('{"city":'), delta('"Oslo"}')],
        item("done", { ...call, arguments: '{"city":"Oslo"}', status: "completed" }),
      ),
      citations: answer(...text({ type: "response.output_text.annotation.added", ...place, annotation })),
      images: answer(
        item("added", { type: "image_generation_call", id: "ig_1" }),
        item("done", { type: "image_generation_call", id: "ig_1", result: PICTURE }),
        ...text(),
      ),
    },
    error: {
      status: 400,
      body: { error: { message: REASON, type: "invalid_request_error", param: null, code: null } },
    },
  };
};

// ── Anthropic's messages ──────────────────────────────────────────────────────────────────────────────────────────────

const anthropic = (): Recorded => {
  const block = (index: number, about: object, ...deltas: object[]) => [
    { type: "content_block_start", index, content_block: about },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const answer = (reason: string, ...events: object[]) =>
    frames(
      [
        {
          type: "message_start",
          message: {
            ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [] },
            ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 5, output_tokens: 1 } },
          },
        },
        { type: "ping" },
        ...events,
        { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 7 } },
        { type: "message_stop" },
      ],
      true,
    );
  const words = (index: number) =>
    block(
      index,
      { type: "text", text: "" },
      { type: "text_delta", text: "Hello " },
      { type: "text_delta", text: "there." },
    );
  const input = (part: string) => ({ type: "input_json_delta", partial_json: part });
  return {
    answers: {
      text: answer("end_turn", ...words(0)),
      usage: answer("end_turn", ...words(0)),
      thinking: answer(
        "end_turn",
        ...block(
          ...([0, { type: "thinking", thinking: "", signature: "" }] as const),
          ...[
            { type: "thinking_delta", thinking: "Hm." },
            { type: "signature_delta", signature: "c2ln" },
          ],
        ),
        ...words(1),
      ),
      tools: answer(
        "tool_use",
        ...block(
          0,
          { type: "tool_use", id: "toolu_1", name: "weather", input: {} },
          input('{"city":'),
          input('"Oslo"}'),
        ),
      ),
      citations: answer(
        "end_turn",
        ...block(
          0,
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
          input('{"query":"a"}'),
        ),
        ...block(1, {
          type: "web_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: [{ type: "web_search_result", ...SOURCE, encrypted_content: "x", page_age: null }],
        }),
        ...words(2),
      ),
    },
    error: { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: REASON } } },
  };
};

// ── Google's content ──────────────────────────────────────────────────────────────────────────────────────────────────

const google = (): Recorded => {
  const answer = (parts: readonly object[], more: object = {}) =>
    frames([
      ...parts.map((part) => ({ candidates: [{ content: { role: "model", parts: [part] }, index: 0 }] })),
      {
        candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP", index: 0, ...more }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
      },
    ]);
  const text = [{ text: "Hello " }, { text: "there." }];
  return {
    answers: {
      text: answer(text),
      usage: answer(text),
      thinking: answer([{ text: "Hm.", thought: true }, ...text]),
      tools: answer([{ functionCall: { name: "weather", args: { city: "Oslo" } } }]),
      citations: answer(text, {
        groundingMetadata: { groundingChunks: [{ web: { uri: SOURCE.url, title: SOURCE.title } }] },
      }),
      images: answer([...text, { inlineData: { mimeType: "image/png", data: PICTURE } }]),
    },
    error: { status: 400, body: { error: { code: 400, message: REASON, status: "INVALID_ARGUMENT" } } },
  };
};

/** By the provider's prefix in model names. */
export const recordings: Readonly<Record<string, Recorded>> = {
  openai: responses(),
  "openai-chat": chat({ thinking: { reasoning_content: "Hm." }, citations: { delta: { annotations } } }),
  anthropic: anthropic(),
  google: google(),
  ollama: chat({ thinking: { reasoning: "Hm." }, error: { status: 400, body: { error: REASON } } }),
  lmstudio: chat({ thinking: { reasoning_content: "Hm." }, error: { status: 400, body: { error: REASON } } }),
  vllm: chat({
    thinking: { reasoning_content: "Hm." },
    error: { status: 400, body: { object: "error", message: REASON, type: "BadRequestError", code: 400 } },
  }),
  openrouter: chat({
    thinking: { reasoning: "Hm.", reasoning_details: [{ type: "reasoning.text", text: "Hm." }] },
    citations: { delta: { annotations } },
    images: { images },
    comment: ": OPENROUTER PROCESSING\n\n",
  }),
  deepseek: chat({ thinking: { reasoning_content: "Hm.", content: null }, comment: ": keep-alive\n\n" }),
  groq: chat({ thinking: { reasoning: "Hm." } }),
  mistral: chat({
    thinking: { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] },
    error: { status: 422, body: { detail: [{ type: "value_error", loc: ["body", "model"], msg: REASON }] } },
  }),
  xai: chat({ thinking: { reasoning_content: "Hm." }, citations: { chunk: { citations: [SOURCE.url] } } }),
  "openai-compatible": chat({
    thinking: { reasoning_content: "Hm." },
    citations: { chunk: { search_results: [SOURCE] } },
    images: { images },
    error: { status: 400, body: { detail: REASON } },
  }),
};
