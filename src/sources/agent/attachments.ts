import type { Message, Part } from "../../events.ts";
import { Refusal } from "../../source.ts";

type FilePart = Extract<Part, { type: "file" }>;

/**
 * Converts the messages to what this model can read. Text files become text with their names. A file of the last
 * message that the model cannot read is refused. An unreadable file of an earlier message, which another model may have
 * read, is replaced by a short text.
 *
 * `accepts` are media types such as `image/png` or `audio/*`. Undefined: unknown, so everything is sent.
 */
export const readableBy = (
  messages: readonly Message[],
  model: string,
  accepts: readonly string[] | undefined,
): readonly Message[] => {
  const asked = messages.findLast(({ role }) => role === "user");
  return messages.map((message) =>
    message.content.some(({ type }) => type === "file")
      ? { ...message, content: message.content.map((part) => readable(part, model, accepts, message === asked)) }
      : message,
  );
};

const readable = (part: Part, model: string, accepts: readonly string[] | undefined, isAsked: boolean): Part => {
  if (part.type !== "file") return part;
  if (accepts?.some((type) => matches(part.mediaType, type))) return part;
  const text = textOf(part);
  if (text !== undefined) return { type: "text", text: `File ${part.name ?? "without a name"}:\n\n${text}\n` };
  if (!accepts) return part;
  if (isAsked) throw unreadable(part, model, accepts);
  return { type: "text", text: `[file ${part.name ?? ""} (${part.mediaType}): this model cannot read it]` };
};

/** Either side may be `image/*`: some clients send no more specific type for an image. */
const matches = (mediaType: string, type: string): boolean => {
  const [one, other] = [mediaType.toLowerCase(), type.toLowerCase()];
  if (one === other) return true;
  const isOpen = one.endsWith("/*") || other.endsWith("/*");
  return isOpen && one.split("/")[0] === other.split("/")[0];
};

const TEXT = /^text\/|[/+](json|xml|yaml|toml|csv|sql|javascript|typescript|x-sh|x-yaml|x-ndjson|x-python)$/i;
const UNKNOWN = /^(application\/octet-stream|\*\/\*|)$/;

/** The file's content, if it is text. Many clients do not know the media type of source files. */
const textOf = ({ mediaType, data }: FilePart): string | undefined => {
  if (data === undefined || !(TEXT.test(mediaType) || UNKNOWN.test(mediaType))) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"));
    return text.includes("\0") ? undefined : text;
  } catch {
    return TEXT.test(mediaType) ? Buffer.from(data, "base64").toString("latin1") : undefined;
  }
};

const unreadable = ({ name, mediaType }: FilePart, model: string, accepts: readonly string[]): Refusal =>
  new Refusal(
    "unsupported-file",
    `The model ${model} cannot read ${name === undefined ? "files" : `${name}, a file`} of type ${mediaType}.`,
    { status: 415, hint: `It reads ${kindsOf(accepts)}. Remove the file, or choose another model.` },
  );

const kindsOf = (accepts: readonly string[]): string => {
  const kinds = accepts.map((type) => (type === "application/pdf" ? "PDFs" : KINDS[type.split("/")[0]!] || type));
  return [...new Set(["text files", ...kinds])].join(", ");
};

const KINDS: Readonly<Record<string, string>> = { image: "images", audio: "audio", video: "video" };
