import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/**
 * A model of the responses API that also streams full reasoning text, which open models behind that API send. The
 * library forwards only summaries. If it starts to forward the text as well, its own parts are used.
 */
export const withReasoningText = (model: LanguageModelV4): LanguageModelV4 => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (options) => model.doGenerate(options),
  async doStream(options) {
    const result = await model.doStream({ ...options, includeRawChunks: true });
    return { ...result, stream: result.stream.pipeThrough(reasoningText()) };
  },
});

const reasoningText = (): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> => {
  let held: Extract<LanguageModelV4StreamPart, { type: "reasoning-delta" }> | undefined;
  return new TransformStream({
    transform(part, controller) {
      if (held && part.type !== "reasoning-delta") controller.enqueue(held);
      held = undefined;
      if (part.type !== "raw") return controller.enqueue(part);
      const { type, item_id: id, delta } = (part.rawValue ?? {}) as Record<string, unknown>;
      if (type === "response.reasoning_text.delta" && typeof id === "string" && typeof delta === "string")
        held = { type: "reasoning-delta", id: `${id}:0`, delta };
    },
    flush(controller) {
      if (held) controller.enqueue(held);
    },
  });
};
