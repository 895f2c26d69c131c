import type { Directory } from "./directory.ts";
import type { Matcher } from "./matcher.ts";
import { binaryKind, chunksOf } from "./text.ts";
import { type Found, walk } from "./walk.ts";

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Search {
  readonly matches: readonly Match[];
  /** Why the search ended early, as a sentence. */
  readonly stopped?: string;
}

const MAX_MATCHES = 200;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_LINE = 16_384;
const SHOWN = 300;

/** Searches the text files below a directory. Skips binary files, and sees only the beginning of very long lines. */
export const grep = async (
  directory: Directory,
  matcher: Matcher,
  { wanted, skip, signal }: { wanted: (path: string) => boolean; skip: boolean; signal: AbortSignal },
): Promise<Search> => {
  const matches: Match[] = [];
  let bytes = 0;

  /** Returns false if the search should stop. */
  const searchFile = async ({ path, open }: Found): Promise<boolean> => {
    const file = await open().catch(() => undefined);
    if (!file) return true;
    try {
      let line = 1;
      for await (const { lines, read } of linesOf(chunksOf(file, signal))) {
        for (const index of await matcher.match(lines, signal)) {
          matches.push({ path, line: line + index, text: lines[index]!.slice(0, SHOWN) });
          if (matches.length >= MAX_MATCHES) return false;
        }
        line += lines.length;
        bytes += read;
        if (bytes > MAX_BYTES) return false;
      }
      return true;
    } finally {
      await file.close();
    }
  };

  let isEnough = false;
  const whole = await walk(directory, { skip, signal }, async (found) => {
    if (wanted(found.path) && !(await searchFile(found))) isEnough = true;
    return !isEnough;
  });
  if (matches.length >= MAX_MATCHES) return { matches, stopped: `Stopped at ${MAX_MATCHES} matches.` };
  if (isEnough) return { matches, stopped: "Stopped: that is too much text to search." };
  return whole ? { matches } : { matches, stopped: "There are too many files to search all of them." };
};

/** Lines in batches. None if the file is binary. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<{ lines: string[]; read: number }, void> {
  const decoder = new TextDecoder();
  let rest = "";
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && binaryKind(chunk.subarray(0, 8192))) return;
    isFirst = false;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    // Only the first MAX_LINE characters of an unfinished line are searched, so drop the rest.
    rest = lines.pop()!.slice(0, MAX_LINE);
    yield { lines: lines.map((line) => line.slice(0, MAX_LINE)), read: chunk.length };
  }
  if (rest) yield { lines: [rest], read: 0 };
}
