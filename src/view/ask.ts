import type { Answer, Json } from "../events.ts";
import { visibleText } from "../markdown.ts";
import { approvalsOf, choicesOf } from "../protocol.ts";
import type { AskNode, RunState } from "../state.ts";
import { type Badge, badgeOf, type ShownState } from "./badge.ts";
import { nameOf } from "./call.ts";
import { clip, oneLine } from "./text.ts";
import type { Time } from "./time.ts";

type Ask = AskNode["ask"];

/** Display data for an ask. */
export interface AskFacts {
  readonly badge: Badge;
  readonly isOpen: boolean;
  readonly title: string;
  readonly message: string;
  /** A sentence about the reply, or why there is none. */
  readonly reply: string;
  /** Answers the user can give with one button. Empty if the ask needs a typed value. */
  readonly choices: readonly Choice[];
  readonly expires: number | undefined;
  /** How long the ask has been waiting. Undefined once it is closed. */
  readonly time: Time | undefined;
}

/** One possible answer. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly answer: Answer;
}

export const describeAsk = (node: AskNode): AskFacts => {
  const { ask } = node;
  return {
    badge: badgeOf(stateOf(node)),
    isOpen: node.outcome === undefined,
    title: oneLine(ask.title?.trim() || TITLES[ask.kind]),
    message: visibleText(ask.message ?? ""),
    reply: replyTo(node),
    choices: answersTo(ask),
    expires: ask.expires,
    time: node.outcome === undefined ? { since: node.startedAt } : undefined,
  };
};

const TITLES: Readonly<Record<Ask["kind"], string>> = {
  approval: "Allow this tool call?",
  confirmation: "Is that OK?",
  input: "Input needed",
  choice: "Choose one",
  result: "Enter the result of this call",
  execute: "Run this code and enter the result",
};

const stateOf = ({ outcome, answer }: AskNode): ShownState => {
  if (outcome === undefined) return "waiting";
  if (outcome !== "answered") return outcome;
  return answer?.allow === false || answer?.value === null ? "denied" : "answered";
};

const replyTo = ({ ask, outcome, answer, by }: AskNode): string => {
  if (outcome === undefined) return "Waiting for an answer";
  if (outcome !== "answered") return OUTCOMES[outcome];
  const who = by ? ` by ${oneLine(by)}` : "";
  const { allow, input, always, reason, value } = answer ?? {};
  const reasonText = reason ? `: ${oneLine(reason)}` : "";
  const option = optionText(ask, answer);
  if (allow !== undefined) {
    if (ask.kind === "confirmation") return `${allow ? "Yes" : "No"}${who}${reasonText}`;
    const edits = input === undefined ? "" : " with edits";
    const span = always ? " for the rest of the run" : "";
    return `${allow ? "Allowed" : "Denied"}${edits}${span}${who}${option}${reasonText}`;
  }
  if (value === null) return `Declined${who}${reasonText}`;
  return `Answered${who}: ${valueText(ask, value)}`;
};

const OUTCOMES = {
  expired: "No one answered in time",
  cancelled: "Cancelled before it was answered",
  interrupted: "Interrupted before it was answered",
} as const;

const valueText = (ask: Ask, value: Json | undefined): string => {
  const known = choicesOf(ask).find((option) => JSON.stringify(option.value) === JSON.stringify(value));
  return oneLine(known?.label ?? fieldsText(value), 300) || `""`;
};

/** A filled-in form as its fields. */
const fieldsText = (value: Json | undefined): string => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return plain(value);
  const fields = Object.entries(value).map(([name, entered]) => `${name}: ${plain(entered)}`);
  return fields.join(" · ") || plain(value);
};

const plain = (value: Json | undefined): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** The option chosen for an approval. */
const optionText = (ask: Ask, answer: Answer | undefined): string => {
  const taken = answer?.option;
  const option = taken === undefined ? undefined : approvalsOf(ask).find(({ id }) => id === taken);
  return option ? ` (${oneLine(option.label)})` : "";
};

const answersTo = (ask: Ask): readonly Choice[] => {
  if (ask.kind === "approval") {
    const offered = approvalsOf(ask);
    if (offered.length === 0) return [choice("Allow", { allow: true }), choice("Deny", { allow: false })];
    return offered.map(({ id, label, allow }) => choice(label, { allow, option: id }));
  }
  if (ask.kind === "confirmation") return [choice("Yes", { allow: true }), choice("No", { allow: false })];
  if (ask.kind !== "choice" || !ask.options) return [];
  const offered = choicesOf(ask).map(({ value, label, description }) =>
    choice(label ?? plain(value), { value }, description),
  );
  return [...offered, choice("None of these", { value: null })];
};

const choice = (label: string, answer: Answer, description = ""): Choice => ({
  key: JSON.stringify(answer),
  label: oneLine(label),
  description: visibleText(clip(description, 1000)),
  answer,
});

/** The tool that asks, and the sub-agent it asks for. */
export const whoAsks = (
  state: RunState,
  { ask, agent }: AskNode,
): { readonly tool: string; readonly agent: string } => {
  const call = ask.call === undefined ? undefined : state.nodes.get(ask.call);
  const owner = agent === undefined ? undefined : state.nodes.get(agent);
  return {
    tool: call?.kind === "call" ? nameOf(call) : oneLine(state.root.name),
    agent: owner?.kind === "agent" ? oneLine(owner.name) : "",
  };
};
