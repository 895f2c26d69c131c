import { memo, useMemo } from "react";
import type { AgentNode, CallNode } from "runcast/state";
import { AgentCard } from "./agent-card.tsx";
import { AskCard } from "./ask-card.tsx";
import { CallGroup } from "./call-group.tsx";
import { MarkView } from "./mark-view.tsx";
import { TextPart, ThinkingPart } from "./part-view.tsx";
import { type Block, createRows, type Row } from "./rows.ts";
import { useRunContext } from "./run-context.ts";
import { Sources } from "./sources.tsx";
import { StepRetries } from "./step-retries.tsx";
import { useWatch } from "./use-watch.ts";

/** What an agent did or a call brought, in the order it began. */
export const Items = memo(({ owner }: { readonly owner: AgentNode | CallNode }) => {
  const { state } = useRunContext();
  const { items } = owner;
  const rows = useMemo(createRows, [items]);
  useWatch(state, owner.id, () => items.length);
  const isOver = useWatch(state, owner.id, () => owner.endedAt !== undefined);
  const blocks = rows.update(items);
  return blocks.map((block, index) => (
    <BlockView key={block.key} block={block} isLast={index === blocks.length - 1} isOver={isOver} />
  ));
});

interface BlockViewProps {
  readonly block: Block;
  readonly isLast: boolean;
  readonly isOver: boolean;
}

/** A few rows, rendered again only if one of them has changed. The browser skips those that are full and out of sight. */
const BlockView = memo(({ block, isLast, isOver }: BlockViewProps) => (
  <div className={`rows ${isLast ? "" : "full"}`}>
    {block.rows.map((row, index) => (
      <RowView key={row.key} row={row} isOver={isOver && index === block.rows.length - 1} />
    ))}
  </div>
));

const RowView = memo(({ row, isOver }: { readonly row: Row; readonly isOver: boolean }) => {
  if (row.kind === "calls") return <CallGroup items={row.items} isOver={isOver || row.followed} />;
  if (row.kind === "sources") return <Sources items={row.items} />;
  if (row.kind === "agents") return <AgentLanes items={row.items} />;
  const [node] = row.items;
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
    case "call":
      return null;
    default:
      return <MarkView node={node} />;
  }
});

/** Sub-agents that no call started: side by side where there is room. */
const AgentLanes = memo(({ items }: { readonly items: readonly AgentNode[] }) => (
  <div className="lanes" style={{ "--lanes": Math.min(items.length, 3) } as React.CSSProperties}>
    {items.map((agent) => (
      <AgentCard key={agent.id} node={agent} />
    ))}
  </div>
));
