import type { Entry } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import type { Log } from "../log.ts";

export interface FoundFile {
  readonly file: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The limits for a single file and for all files together. Other files are left out. */
export const FILE_BYTES = 1024 * 1024;
const FILES_BYTES = 8 * 1024 * 1024;

/** The bytes of these files, and how many were left out because of their size. */
export const readFiles = async (
  log: Log,
  run: string,
  wanted: Iterable<string>,
): Promise<{ readonly files: readonly FoundFile[]; readonly tooLarge: number }> => {
  const files: FoundFile[] = [];
  let tooLarge = 0;
  let total = 0;
  for (const file of wanted) {
    const stored = await log.get(run, file);
    if (!stored) continue;
    if (stored.size > FILE_BYTES || total + stored.size > FILES_BYTES) {
      tooLarge++;
      continue;
    }
    total += stored.size;
    files.push({ file, mediaType: stored.mediaType, bytes: Buffer.concat(await Array.fromAsync(stored.bytes)) });
  }
  return { files, tooLarge };
};

/** Each file as a `data:` URL, by id. Text is passed through `clean`. */
export const inlineFiles = (
  files: readonly FoundFile[],
  clean: (text: string) => string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    files.map(({ file, mediaType, bytes }) => {
      const isText = /^text\/|json|xml|javascript|yaml/.test(mediaType);
      const original = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const cleaned = isText ? Buffer.from(clean(original.toString("utf8"))) : original;
      // Only images are displayed. All other files can only be downloaded.
      const shown = /^image\/(png|jpeg|gif|webp|avif)$/.test(mediaType) ? mediaType : "application/octet-stream";
      return [file, `data:${shown};base64,${cleaned.toString("base64")}`];
    }),
  );

/** Adds the files that an entry references. */
export const collectFiles = ({ event }: Entry, files: Set<string>): void => {
  switch (event.type) {
    case "file":
      if (event.file !== undefined) files.add(event.file);
      return;
    case "run-start":
      for (const part of event.message?.content ?? [])
        if (part.type === "file" && part.file !== undefined) files.add(part.file);
      return;
    case "tool-end":
      for (const part of event.content ?? []) if (part.type === "file") files.add(part.file);
      return;
    default:
      event satisfies EventsAbout;
  }
};
