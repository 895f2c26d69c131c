/** `; did you mean x?` for a misspelled word. Empty if no candidate is close. */
export const didYouMean = (word: string, candidates: Iterable<string>): string => {
  const found = nearest(word, candidates);
  return found === undefined ? "" : `; did you mean ${found}?`;
};

const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const wrong = distance(word.toLowerCase(), candidate.toLowerCase());
    if (wrong >= least) continue;
    least = wrong;
    best = candidate;
  }
  return best;
};

/** The number of letters to insert, delete, substitute, or swap with a neighbor. */
const distance = (one: string, other: string): number => {
  if (Math.abs(one.length - other.length) > 8) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length]!;
};
