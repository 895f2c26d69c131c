/** A position in a line that tracks its column, because tabs extend to the next multiple of four. */
export interface Indent {
  /** Columns of white space from here to `next`, and the character there ("" at the end of the line). */
  readonly columns: number;
  readonly next: number;
  readonly char: string;
  /** Skips up to `columns` of white space. May stop in the middle of a tab. */
  skip(columns: number): void;
  /** Skips `count` characters that are not white space. */
  take(count: number): void;
  /** The rest of the line. A partially skipped tab becomes spaces. */
  rest(): string;
}

export const indentOf = (line: string): Indent => {
  let at = 0;
  let column = 0;
  let spare = 0;
  let columns = 0;
  let next = 0;

  const look = (): void => {
    let reached = column;
    next = at;
    for (; next < line.length; next++) {
      if (line[next] === " ") reached++;
      else if (line[next] === "\t") reached += 4 - (reached % 4);
      else break;
    }
    columns = reached - column + spare;
  };
  look();

  return {
    get columns() {
      return columns;
    },
    get next() {
      return next;
    },
    get char() {
      return line[next] ?? "";
    },
    skip(wanted) {
      let left = wanted;
      const spent = Math.min(spare, left);
      spare -= spent;
      left -= spent;
      while (left > 0 && at < next) {
        const width = line[at] === "\t" ? 4 - (column % 4) : 1;
        at++;
        column += width;
        if (width > left) spare = width - left;
        left -= width;
      }
      look();
    },
    take(count) {
      at += count;
      column += count;
      look();
    },
    rest: () => " ".repeat(spare) + line.slice(at),
  };
};
