import type { Block } from "./block.ts";
import { type MarkdownParser, createParser } from "./parser.ts";

/** Feeds a parser with what a text has grown by. Reading the same twice does nothing, as rendering twice must. */
export interface Reader {
  readonly parser: MarkdownParser;
  /** Whether the text is the one that was read, grown at its end or not. */
  continues(text: string, done: boolean): boolean;
  /** Reads what is new, and gives the blocks that have changed by it, in the order in which they began: until the next reading. */
  read(text: string, done: boolean): ReadonlySet<Block>;
  /** As `read`, and brings what is shown up to date by itself if nothing but one open piece has grown. Answers whether it could. */
  follow(text: string, done: boolean): boolean;
  /** Has `update` called when this piece alone has changed; it answers whether it could show that. */
  watch(piece: Block, update: () => boolean): () => void;
}

/** How much of the end of what was read is compared to notice that it is another text. */
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

/** A slice keeps all of the text it was cut from in memory, and each frame has another text. */
const copied = (text: string): string => ` ${text}`.slice(1);
