import type { AgentNode, CallNode, MarkNode, Node, StepNode } from "../state.ts";

/** A display row: consecutive calls (with the steps between them), sub-agents, or sources, or a single node. */
export type Row =
  | {
      readonly kind: "calls";
      readonly key: string;
      readonly items: readonly (CallNode | StepNode)[];
      readonly followed: boolean;
    }
  | { readonly kind: "agents"; readonly key: string; readonly items: readonly AgentNode[]; readonly followed: boolean }
  | { readonly kind: "sources"; readonly key: string; readonly items: readonly MarkNode[]; readonly followed: boolean }
  | { readonly kind: "one"; readonly key: string; readonly items: readonly [Node]; readonly followed: boolean };

/** Consecutive rows. An unchanged block keeps its object identity. */
export interface Block {
  readonly key: string;
  readonly rows: readonly Row[];
}

/** Adds the new items of an append-only list. Blocks returned earlier stay unchanged, except the last. */
export interface Rows {
  update(items: readonly Node[]): readonly Block[];
}

const BLOCK = 30;
const LONGEST = 100;

export const createRows = (): Rows => {
  let blocks: readonly Block[] = [];
  let seen = 0;
  return {
    update(items) {
      if (seen === items.length) return blocks;
      const last = blocks.at(-1);
      const rows = last ? [...last.rows] : [];
      const made = [...blocks.slice(0, -1)];
      let begin = last ? last.key : undefined;
      for (; seen < items.length; seen++) {
        add(rows, items[seen]!);
        begin ??= rows[0]!.key;
        // The newest row may still grow, so it moves to the next block.
        if (rows.length <= BLOCK) continue;
        made.push({ key: begin, rows: rows.splice(0, BLOCK) });
        begin = rows[0]!.key;
      }
      if (begin !== undefined) made.push({ key: begin, rows });
      blocks = made;
      return blocks;
    },
  };
};

const add = (rows: Row[], item: Node): void => {
  const last = rows.at(-1);
  if (last) {
    const joined = join(last, item);
    if (joined) {
      rows[rows.length - 1] = joined;
      return;
    }
    rows[rows.length - 1] = { ...last, followed: true };
  }
  rows.push(begin(item));
};

const join = (row: Row, item: Node): Row | undefined => {
  if (row.items.length >= LONGEST) return undefined;
  if (row.kind === "calls" && (item.kind === "call" || item.kind === "step"))
    return { ...row, items: [...row.items, item] };
  if (row.kind === "agents" && item.kind === "agent") return { ...row, items: [...row.items, item] };
  if (row.kind === "sources" && item.kind === "citation") return { ...row, items: [...row.items, item] };
  return undefined;
};

const begin = (item: Node): Row => {
  const key = item.id;
  if (item.kind === "call") return { kind: "calls", key, items: [item], followed: false };
  if (item.kind === "agent") return { kind: "agents", key, items: [item], followed: false };
  if (item.kind === "citation") return { kind: "sources", key, items: [item], followed: false };
  return { kind: "one", key, items: [item], followed: false };
};
