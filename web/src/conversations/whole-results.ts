import type { Client } from "runcast/client";
import type { Content, Json, Message } from "runcast/events";

/** Of larger results, only the beginning is sent. */
const MAX_BYTES = 1024 * 1024;

/** Replaces long results, which are stored alongside the run's log, by what the model got: the text or value itself. */
export const withWholeResults = async (
  client: Client,
  run: string,
  messages: readonly Message[],
): Promise<readonly Message[]> => {
  const whole = async (content: Content): Promise<Content> => {
    if (content.type !== "file" || content.name !== undefined || content.bytes > MAX_BYTES) return content;
    const isJson = content.mediaType === "application/json";
    if (!isJson && content.mediaType !== "text/plain") return content;
    try {
      const text = await (await client.file(run, content.file)).text();
      return isJson ? { type: "json", value: JSON.parse(text) as Json } : { type: "text", text };
    } catch {
      // The server has deleted it or cannot be reached. The beginning is in the log.
      return content;
    }
  };
  return await Promise.all(
    messages.map(async (message) => ({
      ...message,
      content: await Promise.all(
        message.content.map(async (part) =>
          part.type === "result" ? { ...part, content: await Promise.all(part.content.map(whole)) } : part,
        ),
      ),
    })),
  );
};
