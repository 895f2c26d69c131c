/** A place in a line that knows its column, so that tabs reach to the next multiple of four. */
export interface Indent {
  /** Columns of white space from here to `next`, and the character there, "" at the line's end. */
  readonly columns: number;
  readonly next: number;
  readonly char: string;
  /** Goes over `columns` of white space at most, also to the middle of a tab. */
  skip(columns: number): void;
  /** Goes over `count` characters that are no white space. */
  take(count: number): void;
  /** What is left of the line, a tab that was cut in two as spaces. */
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
