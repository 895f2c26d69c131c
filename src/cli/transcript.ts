import type { AgentNode, CallNode, Node, PartNode, RunState } from "../state.ts";
import { delegationOf, describeText, isOver } from "../view.ts";
import { callEnd, callStart, delegationEnd } from "./call-lines.ts";
import { type ViewOptions, agentEnd, agentStart, nodeLines, settledLength, textLines } from "./node-lines.ts";

/** A run as lines from top to bottom. Each settled line is returned once. */
export interface Transcript {
  /** The lines settled since the last call. They never change again. */
  settled(options: ViewOptions): string[];
  /**
   * The current lines after the settled ones: the last `height` at most. The cost is proportional to what it returns.
   */
  live(options: ViewOptions & { readonly height: number }): string[];
}

export const createTranscript = (state: RunState): Transcript => {
  /** The open nodes around the position of the last settled line, outermost first. */
  const stack: Place[] = [{ home: state.root, index: 0, depth: 0 }];
  /** How much of the text at that position was returned. */
  let printed = 0;

  const settledText = (part: PartNode, options: ViewOptions): string[] => {
    const end = settledLength(part);
    if (end <= printed && !isOver(part)) return [];
    const lines = end > printed || describeText(part).note ? textLines(part, printed, end, options) : [];
    printed = end;
    return lines;
  };

  const settled = (options: ViewOptions): string[] => {
    const lines: string[] = [];
    for (;;) {
      const place = stack.at(-1)!;
      const { depth } = place;
      const node = place.home.items[place.index];
      if (!node) {
        if (stack.length === 1 || !isOver(place.home)) return lines;
        stack.pop();
        const outer = stack.at(-1)!;
        outer.index++;
        lines.push(...withRails(closing(place.home, options, outer.depth), outer.depth, options));
      } else if (isOpened(node)) {
        const bare = isBare(node);
        if (!bare) lines.push(...withRails(opening(node, options, depth), depth, options));
        stack.push({ home: node, index: 0, depth: bare ? depth : depth + 1 });
      } else {
        if (node.kind === "text") lines.push(...withRails(settledText(node, inside(options, depth)), depth, options));
        if (!isSettled(node, place)) return lines;
        if (node.kind !== "text") lines.push(...withRails(nodeLines(node, inside(options, depth)), depth, options));
        printed = 0;
        place.index++;
      }
    }
  };

  return {
    settled,
    live: (options) => {
      const reversed: string[] = [];
      const isFull = () => reversed.length >= options.height;
      const push = (lines: string[], depth: number): void =>
        void reversed.push(...withRails(lines, depth, options).reverse());
      const pushNode = (node: Node, depth: number): void => {
        if (!isOpened(node)) return push(recentLines(node, 0, inside(options, depth), options.height), depth);
        const bare = isBare(node);
        push(closing(node, options, depth), depth);
        for (let index = node.items.length - 1; index >= 0 && !isFull(); index--)
          pushNode(node.items[index]!, bare ? depth : depth + 1);
        if (!isFull() && !bare) push(opening(node, options, depth), depth);
      };
      for (const [level, { home, index, depth }] of stack.entries()) {
        const outer = stack[level - 1]?.depth ?? 0;
        if (level > 0 && !isFull()) push(closing(home, options, outer), outer);
        const isInnermost = level === stack.length - 1;
        for (let at = home.items.length - 1; at > index && !isFull(); at--) pushNode(home.items[at]!, depth);
        const first = home.items[index];
        if (!first || !isInnermost || isFull()) continue;
        if (isOpened(first)) pushNode(first, depth);
        else push(recentLines(first, printed, inside(options, depth), options.height), depth);
      }
      return reversed.slice(0, options.height).reverse();
    },
  };
};

interface Place {
  readonly home: AgentNode | CallNode;
  index: number;
  /** The number of rails before its lines. */
  readonly depth: number;
}

/** A call that begins with a sub-agent has no first line of its own. Its first item never changes, so a settled line is never wrong. */
const isBare = (node: AgentNode | CallNode): boolean => node.kind === "call" && node.items[0]?.kind === "agent";

/** Whether a node's children are shown below its first line, which is then settled. */
const isOpened = (node: Node): node is AgentNode | CallNode =>
  node.kind === "agent" ||
  (node.kind === "call" && node.items.some(({ kind }) => kind === "agent" || kind === "ask" || kind === "text"));

const isSettled = (node: Node, { home, index }: Place): boolean => {
  if (isOver(node)) return true;
  if (node.kind !== "step") return false;
  // A step can only be retried before its first text or call.
  for (let next = index + 1; next < home.items.length; next++)
    if (home.items[next]!.kind === "text" || home.items[next]!.kind === "call") return true;
  return false;
};

const opening = (node: AgentNode | CallNode, options: ViewOptions, depth: number): string[] =>
  node.kind === "agent" ? agentStart(node, inside(options, depth)) : callStart(node, inside(options, depth));

const closing = (node: AgentNode | CallNode, options: ViewOptions, depth: number): string[] => {
  if (node.kind === "agent") return agentEnd(node, inside(options, depth));
  const delegation = delegationOf(node);
  if (delegation) return delegationEnd(node, delegation, inside(options, depth));
  return callEnd(node, inside(options, depth), !isBare(node));
};

/** A node's lines. For a long text, only what can fit on the screen. */
const recentLines = (node: Node, printed: number, options: ViewOptions, height: number): string[] => {
  if (node.kind !== "text") return nodeLines(node, options);
  const from = Math.max(printed, node.text.length - height * options.width);
  if (from >= node.text.length && !describeText(node).note) return [];
  return textLines(node, from, node.text.length, options);
};

const MAX_RAILS = 8;

const inside = (options: ViewOptions, depth: number): ViewOptions => ({
  ...options,
  width: Math.max(20, options.width - 2 * Math.min(depth, MAX_RAILS)),
});

const withRails = (lines: string[], depth: number, { color }: ViewOptions): string[] => {
  if (depth === 0) return lines;
  const rails = "│ ".repeat(Math.min(depth, MAX_RAILS));
  const prefix = color ? `\x1b[2m${rails}\x1b[0m` : rails;
  return lines.map((text) => prefix + text);
};
