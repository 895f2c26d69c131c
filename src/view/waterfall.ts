import type { AgentNode, CallNode, Node, RunState, StepNode } from "../state.ts";
import { describeAgent } from "./agent.ts";
import { duration } from "./amounts.ts";
import type { Badge } from "./badge.ts";
import { describeCall } from "./call.ts";
import { stepBadge } from "./step.ts";
import { oneLine } from "./text.ts";
import { agentTime, callTime, stepTime, timeText } from "./time.ts";

/** A row of the waterfall. Times are milliseconds from the start of the run. */
export interface WaterfallRow {
  readonly node: StepNode | CallNode | AgentNode;
  readonly depth: number;
  readonly label: string;
  readonly badge: Badge;
  /** The duration. Empty while running, and if unknown. */
  readonly took: string;
  readonly from: number;
  /** When it started to run. For a call, this is when it executed, which may be later than when it was requested. */
  readonly runs: number;
  /** Undefined while it is running. */
  readonly to: number | undefined;
}

/** The steps, calls, and sub-agents of a run on a time axis. Each is nested under its agent, and a sub-agent under its call. */
export const waterfallOf = (state: RunState): readonly WaterfallRow[] => {
  const start = state.startedAt ?? 0;
  const rows: WaterfallRow[] = [];
  const add = (node: WaterfallRow["node"], depth: number, label: string): void => {
    const from = Math.max(0, node.startedAt - start);
    const end = node.endedAt === undefined ? undefined : Math.max(from, node.endedAt - start);
    const began = node.kind === "call" ? node.executedAt : node.startedAt;
    const runs = began === undefined ? (end ?? Infinity) : Math.max(from, began - start);
    rows.push({ node, depth, label: oneLine(label), badge: badgeOfRow(node), took: tookOf(node), from, runs, to: end });
  };
  const walk = (items: readonly Node[], depth: number): void => {
    let steps = 0;
    for (const item of items) {
      if (item.kind === "step") add(item, depth, `model, step ${++steps}`);
      else if (item.kind === "call") {
        add(item, depth, item.title ?? item.name);
        walk(item.items, depth + 1);
      } else if (item.kind === "agent") {
        add(item, depth, item.name);
        walk(item.items, depth + 1);
      }
    }
  };
  walk(state.root.items, 0);
  return rows;
};

const badgeOfRow = (node: WaterfallRow["node"]): Badge => {
  if (node.kind === "call") return describeCall(node).badge;
  return node.kind === "agent" ? describeAgent(node).badge : stepBadge(node);
};

const tookOf = (node: WaterfallRow["node"]): string => {
  if (node.endedAt === undefined) return "";
  const time = node.kind === "call" ? callTime(node) : node.kind === "agent" ? agentTime(node) : stepTime(node);
  return timeText(time, 0);
};

/** How long the run has lasted, at least one millisecond. Undefined before it starts. */
export const runSpan = (
  { startedAt, endedAt }: RunState,
  now: number,
): { readonly length: number; readonly isOver: boolean } | undefined =>
  startedAt === undefined
    ? undefined
    : { length: Math.max(1, (endedAt ?? now) - startedAt), isOver: endedAt !== undefined };

/** Uses the same unit along the whole axis. */
export const tickText = (ms: number): string => (ms < 60_000 ? `${ms / 1000} s` : duration(ms));

/** Round times for the axis, at most about `most` of them, starting with 0. */
export const ticksOf = (span: number, most: number): readonly number[] => {
  if (!(span > 0)) return [0];
  const least = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = STEPS.map((factor) => factor * power).find((candidate) => candidate >= least) ?? 10 * power;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
};

const STEPS = [1, 2, 5];
