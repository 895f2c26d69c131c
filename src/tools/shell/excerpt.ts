import { StringDecoder } from "node:string_decoder";
import type { Hider } from "./hide-secrets.ts";

export interface Excerpt {
  /** Takes the next bytes and returns the characters that are complete, without secrets. */
  push(bytes: Buffer): string;
  /** Returns the rest: an incomplete character, or text that only looked like the beginning of a secret. */
  end(): string;
  readonly bytes: number;
  /** All of it, or the beginning and the end with a note in between. */
  readonly text: string;
}

/** Keeps the first and the last characters of a stream of any length. */
export const createExcerpt = (keep: number, hider: Hider): Excerpt => {
  const decoder = new StringDecoder("utf8");
  let bytes = 0;
  let head = "";
  let tail = "";
  let dropped = 0;

  const take = (text: string): string => {
    const room = Math.max(0, keep - head.length);
    head += text.slice(0, room);
    tail += text.slice(room);
    // Not for every piece, because slicing copies.
    if (tail.length > 4 * keep) drop();
    return text;
  };
  const drop = (): void => {
    if (tail.length <= keep) return;
    dropped += tail.length - keep;
    tail = tail.slice(-keep);
  };

  return {
    push(chunk) {
      bytes += chunk.length;
      return take(hider.push(decoder.write(chunk)));
    },
    end: () => take(hider.push(decoder.end()) + hider.end()),
    get bytes() {
      return bytes;
    },
    get text() {
      drop();
      const joined = dropped === 0 ? head + tail : `${head}\n[… ${dropped} characters left out …]\n${tail}`;
      return joined.toWellFormed();
    },
  };
};
