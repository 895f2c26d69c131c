/**
 * The tree of a Markdown text that only ever grows at its end. Nodes are changed in place and raise their `version` and
 * those of all above them, so that a view finds what is stale by comparing numbers. Only the last child of an open node
 * can be open; what is closed changes no more, but for links whose definition comes later.
 */
export interface Block {
  kind: "document" | "quote" | "list" | "item" | "paragraph" | "heading" | "code" | "math" | "table" | "rule" | "piece";
  readonly parent: Block | undefined;
  /** Its place among the parent's children; it never moves. */
  readonly index: number;
  readonly children: Block[];
  version: number;
  /** Versions of runs of children: a view of thousands of children asks only these. */
  readonly runs: number[];
  readonly longRuns: number[];
  open: boolean;
  /** The source of a piece (a stretch of prose, some lines of code, a row of a table) or of a formula. */
  text: string;
  /** A heading's level; the number that an ordered list starts with. */
  level: number;
  /** A list's marker, a fence's language. */
  mark: string;
  /** A list whose items stand apart. */
  loose: boolean;
  align: readonly Alignment[];
}

export type Alignment = "left" | "center" | "right" | undefined;

export const RUN = 32;
export const LONG_RUN = RUN * RUN;

/** Of which run a child is part: the first 32 children stand alone, the next 1,024 in runs of 32, all others in runs of 1,024. */
export const runOf = (index: number): number => Math.floor(index / RUN);
export const longRunOf = (index: number): number => Math.floor((index - RUN) / LONG_RUN);

export const createBlock = (kind: Block["kind"], parent?: Block): Block => {
  const block: Block = {
    kind,
    parent,
    index: parent?.children.length ?? 0,
    children: [],
    version: 0,
    runs: [],
    longRuns: [],
    open: true,
    text: "",
    level: 0,
    mark: "",
    loose: false,
    align: [],
  };
  parent?.children.push(block);
  touch(block);
  return block;
};

/** Says that a block has changed, to it and to all above it. */
export const touch = (block: Block): void => {
  let changed = block;
  changed.version++;
  while (changed.parent) {
    const { parent, index } = changed;
    parent.version++;
    if (index >= RUN) {
      const run = runOf(index);
      parent.runs[run] = (parent.runs[run] ?? 0) + 1;
      const long = longRunOf(index);
      parent.longRuns[long] = (parent.longRuns[long] ?? 0) + 1;
    }
    changed = parent;
  }
};
