/** An edit as an agent reports it. `oldText` is null for a new file. Either text is a whole file or only the changed part. */
export interface Edit {
  readonly path: string;
  readonly oldText: string | null;
  readonly newText: string;
  /** The line of the file at which the texts begin, if known. */
  readonly line?: number | undefined;
}

const CONTEXT = 3;
/**
 * Comparing line by line costs the product of both lengths. Above this limit, everything between the common prefix and
 * suffix counts as changed.
 */
const MAX_COMPARED = 4_000_000;

/**
 * An edit in the unified diff format. Line numbers are omitted (`@@ @@`) if unknown: many agents report only the
 * changed lines.
 */
export const unifiedDiff = ({ path, oldText, newText, line }: Edit): string => {
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  const first = oldText === null ? 1 : line;
  const head = [`--- ${oldText === null ? "/dev/null" : path}`, `+++ ${path}`];
  return [...head, ...hunksOf(compare(before, after), first)].join("\n");
};

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

const linesOf = (text: string): readonly string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

const compare = (before: readonly string[], after: readonly string[]): readonly Line[] => {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (texts: readonly string[]) => texts.map((text): Line => ({ sign: " ", text }));
  return [
    ...same(before.slice(0, start)),
    ...changed(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
};

/** The shortest diff, based on the longest common subsequence. */
const changed = (before: readonly string[], after: readonly string[]): readonly Line[] => {
  const removed = (text: string): Line => ({ sign: "-", text });
  const added = (text: string): Line => ({ sign: "+", text });
  if (before.length * after.length > MAX_COMPARED) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      common[row * width + column] =
        before[row] === after[column]
          ? common[(row + 1) * width + column + 1]! + 1
          : Math.max(common[(row + 1) * width + column]!, common[row * width + column + 1]!);
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length && column < after.length) {
    if (before[row] === after[column]) {
      lines.push({ sign: " ", text: before[row]! });
      row++;
      column++;
    } else if (common[(row + 1) * width + column]! >= common[row * width + column + 1]!)
      lines.push(removed(before[row++]!));
    else lines.push(added(after[column++]!));
  }
  return [...lines, ...before.slice(row).map(removed), ...after.slice(column).map(added)];
};

/** Changed lines with context. Changes that are close to each other share a hunk. */
const hunksOf = (lines: readonly Line[], first: number | undefined): readonly string[] => {
  const written: string[] = [];
  const isShown = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " ");
  let before = first ?? 1;
  let after = first ?? 1;
  let hunk: string[] = [];
  let counts = { before: 0, after: 0 };
  const end = () => {
    if (hunk.length === 0) return;
    const from = before - counts.before;
    const to = after - counts.after;
    const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
    written.push(
      first === undefined ? "@@ @@" : `@@ -${range(from, counts.before)} +${range(to, counts.after)} @@`,
      ...hunk,
    );
    hunk = [];
    counts = { before: 0, after: 0 };
  };
  for (const [index, { sign, text }] of lines.entries()) {
    if (!isShown(index)) end();
    else hunk.push(sign + text);
    const counted = isShown(index) ? 1 : 0;
    if (sign !== "+") {
      before++;
      counts.before += counted;
    }
    if (sign !== "-") {
      after++;
      counts.after += counted;
    }
    if (counted === 0) counts = { before: 0, after: 0 };
  }
  end();
  return written;
};
