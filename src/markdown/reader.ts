import type { Block } from "./block.ts";
import { type MarkdownParser, createParser } from "./parser.ts";

/** Feeds a parser with the new end of a growing text. Reading the same text twice has no effect, so rendering twice is safe. */
export interface Reader {
  readonly parser: MarkdownParser;
  /** Whether the text equals the text read before, or extends it. */
  continues(text: string, done: boolean): boolean;
  /** Reads the new text and returns the changed blocks in document order. The set is valid until the next read. */
  read(text: string, done: boolean): ReadonlySet<Block>;
  /** Like `read`, but also updates the view directly if only one watched, open piece has grown. Returns whether it could. */
  follow(text: string, done: boolean): boolean;
  /** Calls `update` when only this piece has changed. It returns whether it could show the change. */
  watch(piece: Block, update: () => boolean): () => void;
}

/** How many characters at the end of the read text are compared to detect a different text. */
const COMPARED = 64;

export const createReader = (): Reader => {
  const parser = createParser();
  const changed = new Set<Block>();
  const watched = new Map<Block, () => boolean>();
  parser.document.onChange = (block) => changed.add(block);
  let length = 0;
  let end = "";
  let ended = false;

  const take = (text: string): void => {
    changed.clear();
    if (text.length === length) return;
    parser.write(copied(text.slice(length)));
    length = text.length;
    end = copied(text.slice(-COMPARED));
  };

  return {
    parser,
    continues: (text, done) =>
      text.length >= length && text.startsWith(end, length - end.length) && !(ended && (!done || text.length > length)),
    read(text, done) {
      take(text);
      if (done && !ended) {
        ended = true;
        parser.end();
      }
      return changed;
    },
    follow(text, done) {
      if (done || ended) return false;
      take(text);
      if (changed.size === 0) return true;
      const [piece] = changed;
      const update = changed.size === 1 ? watched.get(piece!) : undefined;
      return update?.() === true;
    },
    watch(piece, update) {
      watched.set(piece, update);
      return () => {
        if (watched.get(piece) === update) watched.delete(piece);
      };
    },
  };
};

/** Copies a slice. A slice would keep its whole source string in memory, and each frame has a new one. */
const copied = (text: string): string => ` ${text}`.slice(1);
