import type { FileHandle } from "node:fs/promises";
import { Refusal } from "../../source.ts";

export interface Range {
  readonly text: string;
  /** The number of lines in `text`. The last one may lack its newline. */
  readonly lines: number;
  readonly more: boolean;
  /** The only line exceeds `maxBytes`, and `text` contains just its beginning. */
  readonly cut: boolean;
}

/**
 * Lines from `offset` (1-based), at most `limit` lines and `maxBytes`. Holds one chunk and the result in memory,
 * regardless of the file's size.
 */
export const readLines = async (
  file: FileHandle,
  { offset, limit, maxBytes, signal }: { offset: number; limit: number; maxBytes: number; signal: AbortSignal },
): Promise<Range> => {
  const kept: Buffer[] = [];
  let bytes = 0;
  let line = 1;
  let lines = 0;
  let more = false;
  let endsOpen = false;
  let isOpen = false;
  chunks: for await (const chunk of chunksOf(file, signal)) {
    isOpen = chunk.at(-1) !== 10;
    let at = 0;
    while (at < chunk.length) {
      const newline = chunk.indexOf(10, at);
      const end = newline < 0 ? chunk.length : newline + 1;
      if (line >= offset) {
        if (lines >= limit && !endsOpen) {
          more = true;
          break chunks;
        }
        if (!endsOpen) lines += 1;
        endsOpen = newline < 0;
        kept.push(Buffer.from(chunk.subarray(at, end)));
        bytes += end - at;
        if (bytes > maxBytes) {
          more = true;
          break chunks;
        }
      }
      if (newline >= 0) line += 1;
      at = end;
    }
  }
  if (lines === 0 && offset > 1) {
    const count = line - 1 + (isOpen ? 1 : 0);
    throw new Refusal(
      "past-end",
      `There is no line ${offset}: the file has ${count} ${count === 1 ? "line" : "lines"}.`,
    );
  }
  const all = Buffer.concat(kept);
  if (bytes <= maxBytes) return { text: decode(all), lines, more, cut: false };
  const whole = all.lastIndexOf(10, maxBytes - 1) + 1;
  if (whole === 0) return { text: decode(all.subarray(0, boundary(all, maxBytes))), lines: 1, more, cut: true };
  const text = decode(all.subarray(0, whole));
  return { text, lines: text.split("\n").length - 1, more, cut: false };
};

/** The complete text of a file, for editing. */
export const readText = async (file: FileHandle, maxBytes: number, signal: AbortSignal): Promise<string> => {
  const { size } = await file.stat();
  if (size > maxBytes) {
    throw new Refusal(
      "too-large",
      `The file has ${size} bytes; only files up to ${maxBytes} bytes can be edited. Change it with another tool.`,
    );
  }
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(file, signal)) chunks.push(Buffer.from(chunk));
  return decode(Buffer.concat(chunks));
};

/** The buffer is reused for the next chunk. Copy what you keep. */
export async function* chunksOf(file: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Describes a file that is not UTF-8 text, based on its first bytes. Undefined for text. */
export const binaryKind = (head: Buffer): string | undefined => {
  const start = head.toString("latin1", 0, 12);
  const known = MAGIC.find(([magic]) => start.startsWith(magic));
  if (known) return known[1];
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return "a WebP image";
  if (start.startsWith("\xff\xfe") || start.startsWith("\xfe\xff")) return "UTF-16 text";
  if (head.includes(0)) return "binary data";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head.subarray(0, boundary(head, head.length)));
    return undefined;
  } catch {
    return "text that is not UTF-8, or binary data";
  }
};

const MAGIC: readonly (readonly [string, string])[] = [
  ["\x89PNG", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["%PDF-", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive or an office document"],
  ["\x1f\x8b", "gzip data"],
  ["\x28\xb5\x2f\xfd", "zstd data"],
  ["\x7fELF", "a program"],
  ["SQLite forma", "a SQLite database"],
];

/** The last position up to `end` that does not split a character. */
const boundary = (bytes: Buffer, end: number): number => {
  let start = Math.min(end, bytes.length);
  for (let back = 1; back <= 3 && back <= start; back++) {
    const byte = bytes[start - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (length > back) start -= back;
    break;
  }
  return start;
};

const decode = (bytes: Buffer): string => {
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Refused below.
  }
  throw new Refusal("binary", "This part of the file is binary data, not UTF-8 text. It cannot be read as text.");
};
