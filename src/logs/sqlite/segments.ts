import type { Entry } from "../../events.ts";
import { parseJson } from "../../json.ts";
import { type Database, UnusableLog } from "./database.ts";
import type { Tail } from "./tail.ts";

export const SEGMENT_ENTRIES = 256;
export const SEGMENT_BYTES = 256 * 1024;

/** Older entries of runs, in segments of at most SEGMENT_ENTRIES consecutive entries that are written once. */
export const openSegments = ({ sql, directory }: Database) => {
  const insert = sql.prepare("INSERT INTO segments (number, first, last, body) VALUES (?, ?, ?, ?)");
  const select = sql.prepare(
    "SELECT first, last, body FROM segments WHERE number = ? AND first <= ? ORDER BY first DESC LIMIT 1",
  );
  const remove = sql.prepare("DELETE FROM segments WHERE number = ?");
  // The last segment read of each recent run: viewers continue where they were, and several often read the same one.
  const recent = new Map<number, { readonly first: number; readonly entries: readonly Entry[] }>();

  const segmentOf = (number: number, seq: number) => {
    const cached = recent.get(number);
    if (cached && seq >= cached.first && seq < cached.first + cached.entries.length) return cached;
    const row = select.get(number, seq);
    const entries = row && Number(row.last) >= seq ? (parseJson(row.body as string) as Entry[] | undefined) : undefined;
    if (!entries)
      throw new UnusableLog(`the log in ${directory} is damaged: entry ${seq} of run number ${number} cannot be read`);
    const segment = { first: Number(row!.first), entries };
    recent.delete(number);
    recent.set(number, segment);
    if (recent.size > CACHED) recent.delete(recent.keys().next().value!);
    return segment;
  };

  return {
    /** The entries from `from` to `to`, inclusive. All of them must be in segments. */
    read(number: number, from: number, to: number): Entry[] {
      const found: Entry[] = [];
      for (let next = from; next <= to;) {
        const { first, entries } = segmentOf(number, next);
        const stop = Math.min(to, first + entries.length - 1);
        while (next <= stop) found.push(entries[next++ - first]!);
      }
      return found;
    },

    /** Writes a tail's entries and returns their size in bytes. */
    write({ number, first, texts, counts }: Tail): number {
      let body = "";
      let size = 0;
      let from = first;
      let bytes = 0;
      const put = () => {
        insert.run(number, from, from + size - 1, `[${body}]`);
        bytes += body.length;
        from += size;
        size = 0;
        body = "";
      };
      texts.forEach((text, index) => {
        const count = counts[index]!;
        if (size > 0 && (size + count > SEGMENT_ENTRIES || body.length + text.length > SEGMENT_BYTES)) put();
        body = size > 0 ? `${body},${text}` : text;
        size += count;
      });
      if (size > 0) put();
      return bytes;
    },

    remove(number: number) {
      remove.run(number);
      recent.delete(number);
    },
  };
};

export type Segments = ReturnType<typeof openSegments>;

const CACHED = 32;
