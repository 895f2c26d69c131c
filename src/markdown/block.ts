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
  /** Versions of runs of children by their order: a view of thousands of children asks only these. */
  readonly runs: number[][];
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
  /** Of a document: called with each block that changes. */
  onChange: ((block: Block) => void) | undefined;
}

export type Alignment = "left" | "center" | "right" | undefined;

/** A run has so many children, a run of the next order so many runs. */
export const RUN = 8;
/** The highest order of runs. */
export const ORDERS = 4;

export const createBlock = (kind: Block["kind"], parent?: Block): Block => {
  const block: Block = {
    kind,
    parent,
    index: parent?.children.length ?? 0,
    children: [],
    version: 0,
    runs: [],
    open: true,
    text: "",
    level: 0,
    mark: "",
    loose: false,
    align: [],
    onChange: undefined,
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
    for (let order = 1, run = index; run >= RUN && order <= ORDERS; order++) {
      run = Math.floor(run / RUN);
      const versions = (parent.runs[order] ??= []);
      versions[run] = (versions[run] ?? 0) + 1;
    }
    changed = parent;
  }
  changed.onChange?.(block);
};
