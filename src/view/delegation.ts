import type { AgentNode, CallNode, PartNode } from "../state.ts";
import { type CallFacts, describeCall } from "./call.ts";
import { describeResult } from "./result.ts";
import { callTime, agentTime, type Time } from "./time.ts";

/**
 * A call that only starts a sub-agent, such as `task`. It and its sub-agent are one card, the sub-agent's, as long as the
 * call adds nothing to it. A call that failed, was edited, repeats another or has other items is shown separately,
 * around its sub-agent.
 */
export interface Delegation {
  readonly agent: AgentNode;
  readonly call: CallFacts;
  /** The call's duration if it differs from the sub-agent's. */
  readonly time: Time | undefined;
  /** Whether the arguments say more than the sub-agent's name and task. */
  readonly hasOwnInput: boolean;
  /** Whether the result differs from the sub-agent's last text. */
  readonly hasOwnResult: boolean;
}

export const delegationOf = (call: CallNode): Delegation | undefined => {
  const [agent, ...others] = call.items;
  if (agent?.kind !== "agent" || others.length > 0 || call.output.length > 0) return undefined;
  const facts = describeCall(call);
  if (facts.problem || facts.edits || facts.repeat || facts.exit || facts.status || facts.fraction !== undefined)
    return undefined;
  if (facts.isOver && call.state !== "ok") return undefined;
  return {
    agent,
    call: facts,
    time: ownTime(call, agent),
    hasOwnInput: hasOwnInput(call, agent),
    hasOwnResult: hasOwnResult(call, agent),
  };
};

/** Shorter differences, in milliseconds or as a part of the call, are the cost of starting the sub-agent. */
const SAME = { ms: 100, part: 0.1 };

const ownTime = (call: CallNode, agent: AgentNode): Time | undefined => {
  const [own, inner] = [callTime(call), agentTime(agent)];
  if (!own || !("ms" in own)) return undefined;
  const isSame = inner && "ms" in inner && Math.abs(own.ms - inner.ms) < Math.max(SAME.ms, own.ms * SAME.part);
  return isSame ? undefined : own;
};

const hasOwnInput = ({ input }: CallNode, { name, task = "" }: AgentNode): boolean => {
  const known = new Set([name.trim(), task.trim()]);
  const values = typeof input === "object" && input !== null ? Object.values(input) : [input];
  return values.some((value) => value !== undefined && !(typeof value === "string" && known.has(value.trim())));
};

const hasOwnResult = (call: CallNode, { items }: AgentNode): boolean => {
  const { parts = [], data } = describeResult(call) ?? {};
  if (data === undefined && parts.length === 0) return false;
  const [part, ...more] = parts;
  const last = items.findLast((item): item is PartNode => item.kind === "text");
  return more.length > 0 || data !== undefined || part?.kind !== "text" || part.text.trim() !== last?.text.trim();
};
