import { memo, useCallback, useMemo, useRef, useState } from "react";
import type { AgentNode, CallNode, Node } from "runcast/state";
import { type Block, createRows, describeResume, isOver as hasEnded, type Row } from "runcast/view";
import { useInWindow } from "../kit/windowing.ts";
import { AgentCard } from "./agent-card.tsx";
import { AskCard } from "./ask-card.tsx";
import { CallGroup } from "./call-group.tsx";
import { itemsOf } from "./jump.ts";
import { MarkView } from "./mark-view.tsx";
import { TextPart, ThinkingPart } from "./part-view.tsx";
import { useOpener, useRunContext } from "./run-context.ts";
import { Sources } from "./sources.tsx";
import { StepRetries } from "./step-retries.tsx";
import { useWatch } from "./use-watch.ts";

/** The items of an agent or a call, in start order. */
export const Items = memo(({ owner }: { readonly owner: AgentNode | CallNode }) => {
  const { state } = useRunContext();
  const { items } = owner;
  const rows = useMemo(createRows, [items]);
  useWatch(state, owner.id, () => items.length);
  const isOver = useWatch(state, owner.id, () => hasEnded(owner));
  const blocks = rows.update(items);
  const [wanted, setWanted] = useState<string>();
  useOpener(itemsOf(owner.id), (node) => setWanted(blocks.find((block) => holds(block, node))?.key));
  return blocks.map((block, index) => (
    <BlockView
      key={block.key}
      block={block}
      isShown={index >= blocks.length - LAST || block.key === wanted}
      isOver={isOver}
    />
  ));
});

/** This many of the last blocks are always rendered, because the very last may have only one row. */
const LAST = 2;
/** Estimated height in pixels of a line or card that was not measured yet. */
const GUESS = 54;

const holds = ({ rows }: Block, id: string): boolean => rows.some((row) => row.items.some((item) => item.id === id));

interface BlockViewProps {
  readonly block: Block;
  /** Whether to render it regardless of its position. */
  readonly isShown: boolean;
  readonly isOver: boolean;
}

/** Several rows, rendered again only if one of them changed. Far from the visible area, only their height is kept. */
const BlockView = memo(({ block: { rows }, isShown, isOver }: BlockViewProps) => {
  const element = useRef<HTMLDivElement>(null);
  const isTouched = useRef(false);
  const touch = () => {
    isTouched.current = true;
  };
  // Rendering it again would lose what the user expanded in it, or the state of a frame.
  const stays = useCallback((drawn: HTMLElement) => isTouched.current || drawn.querySelector("iframe") !== null, []);
  const { isInWindow, height = rows.length * GUESS } = useInWindow(element, isShown, stays);
  if (!isInWindow && !isShown) return <div ref={element} className="rows far" style={{ height }} />;
  return (
    <div ref={element} className="rows" onFocusCapture={touch} onPointerDownCapture={touch}>
      {rows.map((row, index) => (
        <RowView key={row.key} row={row} isOver={isOver && index === rows.length - 1} />
      ))}
    </div>
  );
});

const RowView = memo(({ row, isOver }: { readonly row: Row; readonly isOver: boolean }) => {
  if (row.kind === "calls") return <CallGroup items={row.items} isOver={isOver || row.followed} />;
  if (row.kind === "sources") return <Sources items={row.items} />;
  if (row.kind === "agents") return <AgentLanes items={row.items} />;
  return <NodeView node={row.items[0]} />;
});

const NodeView = ({ node }: { readonly node: Node }) => {
  const { isWorkOnly } = useRunContext();
  if (isWorkOnly && isElsewhere(node)) return null;
  switch (node.kind) {
    case "text":
      return <TextPart node={node} />;
    case "thinking":
      return <ThinkingPart node={node} />;
    case "step":
      return <StepRetries node={node} />;
    case "ask":
      return <AskCard node={node} />;
    case "agent":
      return <AgentCard node={node} />;
    case "resume":
      return (
        <p className="text-sm text-soft" data-resume>
          {describeResume(node)}
        </p>
      );
    case "call":
      return null;
    default:
      return <MarkView node={node} />;
  }
};

/** The root agent's own text and thinking, which work-only views show elsewhere. */
const isElsewhere = (node: Node): boolean =>
  (node.kind === "text" || node.kind === "thinking") && node.agent === undefined && node.call === undefined;

/** Sub-agents without a call, side by side if there is room. */
const AgentLanes = memo(({ items }: { readonly items: readonly AgentNode[] }) => (
  <div className="lanes" style={{ "--lanes": Math.min(items.length, 3) } as React.CSSProperties}>
    {items.map((agent) => (
      <AgentCard key={agent.id} node={agent} />
    ))}
  </div>
));
