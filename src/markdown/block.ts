/**
 * The tree of a Markdown text that grows only at its end. Nodes change in place and increment their `version` and that
 * of every ancestor, so a view finds stale nodes by comparing numbers. Only the last child of an open node can be
 * open. Closed nodes do not change, except for links that are defined later.
 */
export interface Block {
  kind: "document" | "quote" | "list" | "item" | "paragraph" | "heading" | "code" | "math" | "table" | "rule" | "piece";
  readonly parent: Block | undefined;
  /** Its position among the parent's children. Never changes. */
  readonly index: number;
  readonly children: Block[];
  version: number;
  /** Versions of runs of children, by order. A view with thousands of children compares only these. */
  readonly runs: number[][];
  open: boolean;
  /** The source of a piece (prose, lines of code, or a table row) or of a formula. */
  text: string;
  /** A heading's level, or the start number of an ordered list. */
  level: number;
  /** A list's marker, or a fence's language. */
  mark: string;
  /** Whether the items of a list are separated by blank lines. */
  loose: boolean;
  align: readonly Alignment[];
  /** For a document: called with each block that changes. */
  onChange: ((block: Block) => void) | undefined;
}

export type Alignment = "left" | "center" | "right" | undefined;

/** The number of children in a run, and of runs in a run of the next order. */
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

/** Marks a block and all its ancestors as changed. */
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
