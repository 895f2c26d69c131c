/** Finds the backtick run that closes one of the given length. Amortized constant time per lookup. */
export const backtickRuns = (text: string): ((at: number, run: number) => number | undefined) => {
  let byLength: Map<number, { places: number[]; next: number }> | undefined;
  return (at, run) => {
    if (!byLength) {
      byLength = new Map();
      for (const {
        0: { length },
        index,
      } of text.matchAll(/`+/g)) {
        const known = byLength.get(length);
        if (known) known.places.push(index);
        else byLength.set(length, { places: [index], next: 0 });
      }
    }
    const same = byLength.get(run);
    if (!same) return undefined;
    while (same.next < same.places.length && same.places[same.next]! <= at) same.next++;
    return same.places[same.next];
  };
};

/** A longer formula is treated as text. */
const MATH = 1000;

export interface Formula {
  readonly text: string;
  readonly display: boolean;
  readonly end: number;
}

/** Finds the formula that starts at an offset. Returns "open" if more text could complete one. */
export const formulas = (text: string): ((at: number) => Formula | "open" | undefined) => {
  const ends = new Map<string, number>();
  /** The next occurrence of a mark. Does not search again when it is known to be absent. */
  const next = (mark: string, from: number): number => {
    let last = ends.get(mark);
    if (last === undefined) ends.set(mark, (last = text.lastIndexOf(mark)));
    return from > last ? -1 : text.indexOf(mark, from);
  };
  const delimited = (at: number, mark: string, display: boolean): Formula | "open" | undefined => {
    const end = next(mark, at + 2);
    if (end < 0 || end > at + MATH) return isNear(at);
    const inner = text.slice(at + 2, end);
    return inner.trim() === "" ? undefined : { text: inner, display, end: end + mark.length };
  };
  const isNear = (at: number): "open" | undefined => (at + MATH >= text.length ? "open" : undefined);

  return (at) => {
    if (text.startsWith("\\(", at)) return delimited(at, "\\)", false);
    if (text.startsWith("\\[", at)) return delimited(at, "\\]", true);
    if (text[at] === "\\") return undefined;
    if (text[at + 1] === "$") return delimited(at, "$$", true);
    if (/\w/.test(text[at - 1] ?? "") || /\s/.test(text[at + 1] ?? " ")) return undefined;
    for (let end = next("$", at + 1); end > 0 && end <= at + MATH; end = next("$", end + 1)) {
      if (text[end - 1] === "\\") continue;
      if (/\s/.test(text[end - 1]!) || /\d/.test(text[end + 1] ?? "")) return undefined;
      return { text: text.slice(at + 1, end), display: false, end: end + 1 };
    }
    return isNear(at);
  };
};
