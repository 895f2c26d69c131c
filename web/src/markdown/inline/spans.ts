/** Finds the run of backticks that closes one of the given length, in time that does not depend on how many there are. */
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

/** A formula longer than this is text. */
const MATH = 1000;

/** The formula that begins here; "open" if it may, once more text has come. */
export const mathAt = (
  text: string,
  at: number,
): { text: string; display: boolean; end: number } | "open" | undefined => {
  const near = at + MATH >= text.length ? "open" : undefined;
  if (text[at] === "\\") {
    const mark = text[at + 1] === "(" ? "\\)" : text[at + 1] === "[" ? "\\]" : undefined;
    return mark && delimited(text, at, mark, mark === "\\]", near);
  }
  if (text[at + 1] === "$") return delimited(text, at, "$$", true, near);
  if (/\w/.test(text[at - 1] ?? "") || /\s/.test(text[at + 1] ?? " ")) return undefined;
  for (let end = text.indexOf("$", at + 1); end > 0 && end <= at + MATH; end = text.indexOf("$", end + 1)) {
    if (text[end - 1] === "\\") continue;
    if (/\s/.test(text[end - 1]!) || /\d/.test(text[end + 1] ?? "")) return undefined;
    return { text: text.slice(at + 1, end), display: false, end: end + 1 };
  }
  return near;
};

const delimited = (text: string, at: number, mark: string, display: boolean, near: "open" | undefined) => {
  const end = text.indexOf(mark, at + 2);
  if (end < 0 || end > at + MATH) return near;
  if (text.slice(at + 2, end).trim() === "") return undefined;
  return { text: text.slice(at + 2, end), display, end: end + mark.length };
};
