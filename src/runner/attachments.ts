import type { Message, Part } from "../events.ts";
import { Refusal, type RunRequest } from "../source.ts";
import type { Files } from "./files.ts";

type FilePart = Extract<Part, { type: "file" }>;

/**
 * Returns the request in two forms: for the source, with the bytes of all files inline, and for storage, with
 * references only. Copies the files of the message that the run answers to this run, even if another run stored them,
 * so that access to the run is enough to read them. Files of earlier messages may stay with the run that stored them.
 */
export const takeAttachments = async (
  request: RunRequest,
  run: string,
  files: Files,
): Promise<{ readonly request: RunRequest; readonly stored: RunRequest }> => {
  if (!hasFiles(request)) return { request, stored: request };
  const asked = request.messages.findLast(({ role }) => role === "user");
  const stored = await mapFiles(request, async (part, message) => {
    // Documents outside the messages belong to the message that the run answers.
    const isAsked = message === asked || message === undefined;
    const { data, ...rest } = withoutDataUrl(part);
    if (data !== undefined) return await keep(Buffer.from(data, "base64"), rest, files);
    if (rest.file === undefined || (!isAsked && rest.run !== run)) return rest;
    const { run: of, ...own } = rest;
    const bytes = await files.read(rest.file, of);
    if (!bytes && isAsked) throw lost(rest);
    if (of === undefined || of === run || !bytes) return { ...own, ...(bytes && { bytes: bytes.length }) };
    return await keep(bytes, own, files);
  });
  return { request: await withAttachments(stored, files), stored };
};

/** A stored request in the form that the source reads. A file that is no longer stored becomes a short text part. */
export const withAttachments = (request: RunRequest, files: Files): Promise<RunRequest> =>
  hasFiles(request)
    ? mapFiles(request, async (part) => {
        if (part.file === undefined) return part;
        const { file, run, bytes: _, ...rest } = part;
        const bytes = await files.read(file, run);
        if (bytes) return { ...rest, data: bytes.toString("base64") };
        return { type: "text", text: `[file ${part.name ?? ""} (${part.mediaType}): no longer stored]` };
      })
    : Promise.resolve(request);

const hasFiles = ({ messages, files = [] }: RunRequest): boolean =>
  files.length > 0 || messages.some(({ content }) => content.some(({ type }) => type === "file"));

/** Sequential: loading many large files concurrently would hold them in memory twice. */
const mapFiles = async (
  request: RunRequest,
  change: (part: FilePart, message: Message | undefined) => Promise<Part>,
): Promise<RunRequest> => {
  const messages: Message[] = [];
  for (const message of request.messages) {
    const content: Part[] = [];
    for (const part of message.content) content.push(part.type === "file" ? await change(part, message) : part);
    messages.push({ ...message, content });
  }
  const files: FilePart[] = [];
  for (const file of request.files ?? []) {
    const changed = await change(file, undefined);
    if (changed.type === "file") files.push(changed);
  }
  return { ...request, messages, ...(request.files && { files }) };
};

const keep = async (bytes: Buffer, part: FilePart, { put }: Files): Promise<FilePart> => {
  const { mediaType, name } = part;
  const { file } = await put(bytes, { mediaType, ...(name !== undefined && { name }) });
  return { ...part, file, bytes: bytes.length };
};

const withoutDataUrl = (part: FilePart): FilePart => {
  if (part.data !== undefined || !part.url?.startsWith("data:")) return part;
  const comma = part.url.indexOf(",");
  if (comma < 0) return part;
  const { url, ...rest } = part;
  const [mediaType, ...parameters] = url.slice("data:".length, comma).split(";");
  const body = url.slice(comma + 1);
  const data = parameters.includes("base64") ? body : base64Of(body);
  if (data === undefined) return part;
  return { ...rest, mediaType: rest.mediaType || mediaType || "application/octet-stream", data };
};

const base64Of = (encoded: string): string | undefined => {
  try {
    return Buffer.from(decodeURIComponent(encoded)).toString("base64");
  } catch {
    return undefined;
  }
};

const lost = ({ name, file }: FilePart): Refusal =>
  new Refusal("unknown-file", `The file ${name ?? file} is not stored on this server.`, { hint: "Attach it again." });
