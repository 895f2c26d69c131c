/** Random numbers that depend only on the seed. */
export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

/** mulberry32: small, and good enough to choose where to cut. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (values) => values[below(values.length)]! };
};

const WORDS = "alder birch cedar elm fir hazel larch maple oak pine rowan spruce willow yew".split(" ");

/**
 * Pieces of an answer, as a model streams them. Each is unique, so a lost or duplicate piece is noticed. None ends
 * with white space, because a page that shows Markdown may trim it.
 */
export const words = (random: Random, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${random.pick(WORDS)} ${index},`);
