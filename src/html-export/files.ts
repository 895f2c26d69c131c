import type { Entry } from "../events.ts";
import type { Log } from "../log.ts";

export interface InlinedFiles {
  /** As `data:` addresses, by id. */
  readonly addresses: Readonly<Record<string, string>>;
  /** How many are not in it, because of their size. */
  readonly tooLarge: number;
}

/** Larger files stay out, and all of them together take no more than this. */
export const FILE_BYTES = 1024 * 1024;
export const FILES_BYTES = 8 * 1024 * 1024;

/** The files that a run's entries name. Text goes through `clean`. */
export const inlineFiles = async (
  log: Log,
  run: string,
  entries: readonly Entry[],
  clean: (text: string) => string,
): Promise<InlinedFiles> => {
  const addresses: Record<string, string> = {};
  let tooLarge = 0;
  let total = 0;
  for (const file of filesIn(entries)) {
    const stored = await log.get(run, file);
    if (!stored) continue;
    if (stored.size > FILE_BYTES || total + stored.size > FILES_BYTES) {
      tooLarge++;
      continue;
    }
    total += stored.size;
    const bytes = Buffer.concat(await Array.fromAsync(stored.bytes));
    const isText = /^text\/|json|xml|javascript|yaml/.test(stored.mediaType);
    const kept = isText ? Buffer.from(clean(bytes.toString("utf8"))) : bytes;
    // Only pictures are shown; whatever else it is, it is saved, never opened.
    const mediaType = /^image\/(png|jpeg|gif|webp|avif)$/.test(stored.mediaType)
      ? stored.mediaType
      : "application/octet-stream";
    addresses[file] = `data:${mediaType};base64,${kept.toString("base64")}`;
  }
  return { addresses, tooLarge };
};

const filesIn = (entries: readonly Entry[]): Set<string> => {
  const files = new Set<string>();
  for (const { event } of entries) {
    if (event.type === "file" && event.file !== undefined) files.add(event.file);
    if (event.type === "tool-end")
      for (const part of event.content ?? []) if (part.type === "file") files.add(part.file);
  }
  return files;
};
