import type { LanguageModelV4ToolResultOutput, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { Content, Message } from "../../events.ts";
import { resultPart } from "./prompt.ts";
import type { Worker } from "./running.ts";

type ContentPart = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];

/** The result as the model receives it: shortened to the limit, with images and documents as files if the provider supports that. */
export const modelResult = async (
  { model, definition: { maxResultLength }, run }: Worker,
  toolCallId: string,
  name: string,
  content: readonly Content[],
  isError: boolean,
): Promise<LanguageModelV4ToolResultPart> => {
  const part = resultPart(
    toolCallId,
    name,
    content.map((piece) => shortened(piece, maxResultLength)),
    isError,
  );
  if (isError || !TAKES_FILES.test(model.provider) || !content.some(isShown)) return part;
  const value = await Promise.all(
    content.map(async (piece): Promise<ContentPart> => {
      // The call has already ended: if the bytes cannot be read, send a text description instead of failing.
      const bytes = isShown(piece) ? await run.context.get(piece.file).catch(() => undefined) : undefined;
      if (!isShown(piece) || !bytes) return { type: "text", text: textOf(shortened(piece, maxResultLength)) };
      const data = { type: "data" as const, data: Buffer.from(bytes).toString("base64") };
      const { mediaType, name: filename } = piece;
      return { type: "file", mediaType, data, ...(filename !== undefined && { filename }) };
    }),
  );
  return { ...part, output: { type: "content", value } };
};

/** Earlier results as the model received them. */
export const withShortResults = (messages: readonly Message[], longest: number): readonly Message[] =>
  messages.map((message) =>
    message.role === "tool"
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === "result"
              ? { ...part, content: part.content.map((content) => shortened(content, longest)) }
              : part,
          ),
        }
      : message,
  );

/** Providers whose format supports files in results. Others would receive the bytes as text. */
const TAKES_FILES = /^(anthropic|openai\.responses|azure\.responses|google|vertex|amazon-bedrock)\b/;
const LARGEST_FILE = 20 * 1024 * 1024;

const isShown = (content: Content): content is Extract<Content, { type: "file" }> =>
  content.type === "file" && /^image\/|^application\/pdf$/.test(content.mediaType) && content.bytes <= LARGEST_FILE;

const textOf = (content: Content): string => {
  const { output } = resultPart("", "", [content], false);
  if (output.type === "text") return output.value;
  return output.type === "json" ? JSON.stringify(output.value) : "";
};

const shortened = (content: Content, longest: number): Content => {
  if (content.type !== "text" && content.type !== "json") return content;
  const text = content.type === "text" ? content.text : JSON.stringify(content.value);
  if (text.length <= longest) return content;
  const half = Math.floor(longest / 2);
  const left = text.length - 2 * half;
  return { type: "text", text: `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}` };
};
