import type { Content, Entry, Json } from "../events.ts";
import { type Log, VALUE_FILE } from "../log.ts";

/**
 * Puts results stored alongside the log back into their entries, for dialects whose format needs them whole. Returns
 * without a promise if there are none, so only such results cost one.
 */
export const wholeResults = (
  log: Log,
  run: string,
  wholeBytes: number,
  entries: readonly Entry[],
): readonly Entry[] | Promise<readonly Entry[]> =>
  entries.some((entry) => filesOf(entry, wholeBytes).length > 0)
    ? Promise.all(entries.map((entry) => wholeResult(log, run, wholeBytes, entry)))
    : entries;

type FileContent = Extract<Content, { type: "file" }>;

const filesOf = ({ event }: Entry, wholeBytes: number): readonly FileContent[] =>
  event.type === "tool-end"
    ? (event.content ?? []).filter(
        (content): content is FileContent =>
          content.type === "file" &&
          content.bytes <= wholeBytes &&
          (content.mediaType === "application/json"
            ? content.name === undefined || content.name === VALUE_FILE
            : content.mediaType === "text/plain" && content.name === undefined),
      )
    : [];

const wholeResult = async (log: Log, run: string, wholeBytes: number, entry: Entry): Promise<Entry> => {
  const files = new Set<Content>(filesOf(entry, wholeBytes));
  if (files.size === 0 || entry.event.type !== "tool-end") return entry;
  const content: Content[] = [];
  let { value } = entry.event;
  for (const part of entry.event.content ?? []) {
    const text = files.has(part) && part.type === "file" ? await textOf(log, run, part.file) : undefined;
    if (text === undefined || part.type !== "file") content.push(part);
    else if (part.name === VALUE_FILE) value = JSON.parse(text) as Json;
    else if (part.mediaType === "application/json") content.push({ type: "json", value: JSON.parse(text) as Json });
    else content.push({ type: "text", text });
  }
  return { ...entry, event: { ...entry.event, content, ...(value !== undefined && { value }) } };
};

const textOf = async (log: Log, run: string, file: string): Promise<string | undefined> => {
  const stored = await log.get(run, file);
  if (!stored) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of stored.bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
};
