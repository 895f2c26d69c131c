import type { Message, Part } from "../../events.ts";
import type { RunContext } from "../../source.ts";

/** The messages with the bytes of their files inline: files stored alongside the log, and files in `data:` URLs. */
export const withBytes = (
  messages: readonly Message[],
  { get }: Pick<RunContext, "get">,
): Promise<readonly Message[]> =>
  Promise.all(
    messages.map(async (message) => {
      if (!message.content.some(isElsewhere)) return message;
      return { ...message, content: await Promise.all(message.content.map((part) => inLine(part, get))) };
    }),
  );

const isElsewhere = (part: Part): boolean =>
  part.type === "file" &&
  part.data === undefined &&
  (part.file !== undefined || part.url?.startsWith("data:") === true);

const inLine = async (part: Part, get: RunContext["get"]): Promise<Part> => {
  if (part.type !== "file" || !isElsewhere(part)) return part;
  const { file, url, ...rest } = part;
  if (url?.startsWith("data:")) return fromDataUrl(rest, url) ?? part;
  const bytes = file === undefined ? undefined : await get(file);
  return bytes ? { ...rest, data: Buffer.from(bytes).toString("base64") } : part;
};

const fromDataUrl = (part: Extract<Part, { type: "file" }>, url: string): Part | undefined => {
  const [, mediaType, base64, body = ""] = /^data:([^;,]*)(?:;[^;,]*?)*?(;base64)?,(.*)$/s.exec(url) ?? [];
  if (mediaType === undefined) return undefined;
  const data = base64 ? body : Buffer.from(decodeURIComponent(body)).toString("base64");
  return { ...part, mediaType: part.mediaType || mediaType, data };
};
