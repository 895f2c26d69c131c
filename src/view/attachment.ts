import { byteText, counted } from "./amounts.ts";
import { oneLine } from "./text.ts";

/** The server's limits on the size and number of attached files. */
export interface FileLimits {
  readonly fileBytes: number;
  readonly filesBytes: number;
  readonly files: number;
}

interface Attached {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

export interface AttachmentRules {
  readonly limits: FileLimits;
  /** Media types the model accepts. Undefined if unknown. */
  readonly accepts: readonly string[] | undefined;
  /** Files that are already attached. */
  readonly before: readonly Attached[];
}

/** Why a file cannot be attached. Empty if it can. */
export const attachmentProblem = (file: Attached, { limits, accepts, before }: AttachmentRules): string => {
  const name = oneLine(file.name, 80);
  if (file.bytes === 0) return `${name} is empty.`;
  if (file.bytes > limits.fileBytes)
    return `${name} is ${byteText(file.bytes)}. The limit is ${byteText(limits.fileBytes)} per file.`;
  if (before.length >= limits.files)
    return `${name} was not attached: a message can have at most ${counted(limits.files, "file")}.`;
  if (before.reduce((sum, { bytes }) => sum + bytes, file.bytes) > limits.filesBytes)
    return `${name} was not attached: the limit for all files together is ${byteText(limits.filesBytes)}.`;
  if (!accepts || mayBeText(file.mediaType) || accepts.some((type) => matches(file.mediaType, type))) return "";
  return `This model cannot read ${name}. It accepts ${kindsOf(accepts)}.`;
};

/**
 * The media type of a file. Source code is always `text/plain`, because browsers declare no type or a wrong one for it.
 * Other files without a declared type are identified by their extension.
 */
export const mediaTypeOf = (name: string, declared: string): string => {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (SOURCE_CODE.has(ending)) return "text/plain";
  return declared || KNOWN[ending] || "application/octet-stream";
};

const SOURCE_CODE = new Set("ts tsx mts cts js jsx mjs py rb go rs java c h cpp cs php sh sql toml ini log".split(" "));
const KNOWN: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
};

/** Skips the `accepts` check for types that may be text. The server inspects their bytes. */
const mayBeText = (mediaType: string): boolean =>
  /^text\/|^application\/octet-stream$|[/+](json|xml|yaml|toml|sql|javascript)$/.test(mediaType);

const matches = (mediaType: string, type: string): boolean =>
  mediaType === type || (type.endsWith("/*") && mediaType.startsWith(type.slice(0, -1)));

const kindsOf = (accepts: readonly string[]): string => {
  const kinds = accepts.map((type) =>
    type === "application/pdf" ? "PDFs" : type.startsWith("image/") ? "images" : type.split("/")[0]!,
  );
  const all = [...new Set(["text files", ...kinds])];
  return all.length === 1 ? all[0]! : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
};
