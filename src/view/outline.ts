import type { AgentNode, AskNode, CallNode, MarkNode, Node, RunState, StepNode } from "../state.ts";
import { describeAgent } from "./agent.ts";
import { usageText } from "./amounts.ts";
import { describeAside } from "./aside.ts";
import { describeAsk } from "./ask.ts";
import { type Badge, badgeOf } from "./badge.ts";
import { describeCall } from "./call.ts";
import { describeFailure } from "./problem.ts";
import { stepBadge } from "./step.ts";
import { textOfMarkdown } from "../markdown.ts";
import { oneLine } from "./text.ts";

/** A place in a run that a reader can go to. */
export interface OutlineRow {
  readonly key: string;
  /** The id of the node to go to, or `RUN_END`. Empty if there is none yet. */
  readonly target: string;
  readonly kind: "step" | "agent" | "ask" | "file" | "failure";
  readonly depth: number;
  readonly label: string;
  /** The tokens of a step, the task of a sub-agent, the size of a file, the reason for a failure. */
  readonly note: string;
  /** Undefined if there is nothing to say about it. */
  readonly badge: Badge | undefined;
  readonly isFailure: boolean;
}

/** The target of a row that leads to the end of the run. */
export const RUN_END = "end of the run";

/** The steps, sub-agents, questions, files, and failures of a run, each under what it belongs to. */
export interface Outline {
  /** The rows as of now. Describes only what changed since the last call. The same array if nothing did. */
  update(): readonly OutlineRow[];
}

type Described = Omit<OutlineRow, "key" | "target" | "depth">;

const LABEL = 100;
/** How much of a text is read as Markdown for a label. */
const BEGINNING = 400;
const NOTE = 160;
const MAX_NAMES = 3;

export const createOutline = (state: RunState): Outline => {
  const known = new WeakMap<Node, { readonly version: number; readonly described: Described | undefined }>();
  const endedSteps = new WeakMap<StepNode, Described>();
  let before: readonly OutlineRow[] = [];

  const cached = (node: Node, describe: () => Described | undefined): Described | undefined => {
    const found = known.get(node);
    if (found?.version === node.version) return found.described;
    const described = describe();
    known.set(node, { version: node.version, described });
    return described;
  };
  const describeStep = (step: StepNode, content: readonly Node[], number: number): Described => {
    const ended = endedSteps.get(step);
    if (ended) return ended;
    const described = stepOf(step, content, number);
    // Once a step and all of its content have ended, its description no longer changes.
    if (step.endedAt !== undefined && content.every(({ endedAt }) => endedAt !== undefined))
      endedSteps.set(step, described);
    return described;
  };

  /** Where a step without content leads: to its retries, to what ended because it failed, or to what is above it. */
  const emptyTarget = ({ id, finish, retries }: StepNode, owner: string, above: string, hasFailed: boolean): string => {
    if (retries.length > 0) return id;
    if (finish !== "error") return above;
    return owner || (hasFailed ? RUN_END : above);
  };

  const walk = (items: readonly Node[], depth: number, owner: string, rows: OutlineRow[], hasFailed: boolean): void => {
    let steps = 0;
    let inner = depth;
    let last = owner;
    const add = (node: Node, target: string, at: number, described: Described | undefined): void => {
      if (described) rows.push({ ...described, key: `${node.kind} ${node.id}`, target, depth: at });
    };
    for (let index = 0; index < items.length; index++) {
      const item = items[index]!;
      if (isDrawn(item)) last = item.id;
      if (item.kind === "step") {
        const content = contentAfter(items, index);
        const first = content.find(isDrawn);
        add(item, first?.id ?? emptyTarget(item, owner, last, hasFailed), depth, describeStep(item, content, ++steps));
        inner = depth + 1;
      } else if (item.kind === "agent") {
        add(
          item,
          item.id,
          inner,
          cached(item, () => agentOf(item)),
        );
        walk(item.items, inner + 1, item.id, rows, hasFailed);
      } else if (item.kind === "call") {
        add(
          item,
          item.id,
          inner,
          cached(item, () => failedCallOf(item)),
        );
        if (item.items.length > 0) walk(item.items, inner, item.id, rows, hasFailed);
      } else if (item.kind === "ask")
        add(
          item,
          item.id,
          inner,
          cached(item, () => askOf(item)),
        );
      else if (item.kind === "file" || item.kind === "notice")
        add(
          item,
          last,
          inner,
          cached(item, () => markOf(item)),
        );
    }
  };

  return {
    update: () => {
      const rows: OutlineRow[] = [];
      const problem = describeFailure(state.error, state.outcome);
      walk(state.root.items, 0, "", rows, problem?.tone === "bad");
      if (problem?.tone === "bad")
        rows.push({
          key: "end",
          target: RUN_END,
          kind: "failure",
          depth: 0,
          label: "The run failed",
          note: oneLine(problem.message, NOTE),
          badge: badgeOf(state.outcome ?? "error"),
          isFailure: true,
        });
      if (!isSame(before, rows)) before = rows;
      return before;
    },
  };
};

/** Nodes that have a place of their own in every view. */
const isDrawn = ({ kind }: Node): boolean =>
  kind === "text" || kind === "thinking" || kind === "call" || kind === "agent" || kind === "ask";

const contentAfter = (items: readonly Node[], index: number): readonly Node[] => {
  let end = index + 1;
  while (end < items.length && items[end]!.kind !== "step") end++;
  return items.slice(index + 1, end);
};

const stepOf = (step: StepNode, content: readonly Node[], number: number): Described => {
  const text = content.find((item) => item.kind === "text" && item.text.trim() !== "");
  const calls = content.filter((item) => item.kind === "call");
  const names = [...new Set(calls.map(({ title, name }) => oneLine(title?.trim() || name, LABEL)))];
  const more = names.length > MAX_NAMES ? ", …" : "";
  const label =
    (text?.kind === "text" && oneLine(textOfMarkdown(text.text.slice(0, BEGINNING)), LABEL)) ||
    names.slice(0, MAX_NAMES).join(", ") + more ||
    (step.finish === "error" && content.every(({ kind }) => kind !== "thinking") ? "No answer" : "Thinking");
  const badge = stepBadge(step);
  return {
    kind: "step",
    label: `${number}. ${label}`,
    note: usageText(step.usage ?? {}),
    badge: isUsual(badge) ? undefined : badge,
    isFailure: badge.tone === "bad",
  };
};

const isUsual = ({ tone }: Badge): boolean => tone === "good" || tone === "active";

const agentOf = (agent: AgentNode): Described => {
  const { name, task, badge, problem } = describeAgent(agent);
  return {
    kind: "agent",
    label: name || "Sub-agent",
    note: oneLine(problem?.message || task, NOTE),
    badge,
    isFailure: badge.tone === "bad",
  };
};

/** A call has a row only if it failed: the step says which calls it made, and the list of tools has all of them. */
const failedCallOf = (call: CallNode): Described | undefined => {
  if (call.endedAt === undefined || call.repeatedBy !== undefined) return undefined;
  const { name, badge, problem, exit, summary } = describeCall(call);
  if (badge.tone !== "bad" && !exit) return undefined;
  const note = oneLine(problem?.message || exit || summary, NOTE);
  return {
    kind: "failure",
    label: name,
    note,
    badge: badge.tone === "bad" ? badge : badgeOf("error"),
    isFailure: true,
  };
};

const askOf = (ask: AskNode): Described => {
  const { title, badge, reply } = describeAsk(ask);
  return { kind: "ask", label: title, note: oneLine(reply, NOTE), badge, isFailure: false };
};

const markOf = (node: MarkNode): Described | undefined => {
  const facts = describeAside(node);
  if (facts.kind === "file")
    return { kind: "file", label: facts.name, note: facts.about, badge: undefined, isFailure: false };
  if (facts.kind !== "notice" || facts.level !== "error") return undefined;
  return { kind: "failure", label: oneLine(facts.text, LABEL), note: "", badge: badgeOf("error"), isFailure: true };
};

const isSame = (one: readonly OutlineRow[], other: readonly OutlineRow[]): boolean =>
  one.length === other.length &&
  one.every((row, index) => {
    const counterpart = other[index]!;
    return (
      row.key === counterpart.key &&
      row.target === counterpart.target &&
      row.label === counterpart.label &&
      row.note === counterpart.note &&
      row.badge?.state === counterpart.badge?.state
    );
  });
