import type { Part } from "../../events.ts";

type FilePart = Extract<Part, { type: "file" }>;

/** Decodes a `data:` URL into inline bytes. Keeps any other URL. */
export const fileOf = (url: string, mediaType: string): FilePart => {
  const [, ownType, data] = /^data:([^;,]*)(?:;[^;,]*)*?;base64,([^]*)$/.exec(url) ?? [];
  if (data !== undefined) return { type: "file", mediaType: ownType || mediaType, data };
  return { type: "file", mediaType, url };
};

/** Base64 bytes, either in a `data:` URL or bare. For bare bytes, only the file's name reveals the media type. */
export const fileData = (text: string, name: string | null | undefined): FilePart => {
  const mediaType = MEDIA_TYPES[/\.(\w+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream";
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return fileOf(text, mediaType);
  return { type: "file", mediaType, data: text };
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  json: "application/json",
  html: "text/html",
};
