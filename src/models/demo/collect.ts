import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

/** Collects a streamed response into a complete one. */
export const collect = async (
  parts: AsyncIterable<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> => {
  const content: LanguageModelV4Content[] = [];
  const texts = new Map<string, { type: "text" | "reasoning"; text: string }>();
  for await (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const text = { type: part.type === "text-start" ? ("text" as const) : ("reasoning" as const), text: "" };
        texts.set(part.id, text);
        content.push(text);
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const text = texts.get(part.id);
        if (text) text.text += part.delta;
        break;
      }
      case "tool-call":
      case "tool-result":
      case "source":
      case "file":
        content.push(part);
        break;
      case "error":
        throw part.error;
      case "finish":
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
      default:
    }
  }
  throw new Error("the script does not end");
};
