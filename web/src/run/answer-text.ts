import type { Json } from "runcast/events";
import { choicesOf } from "runcast/protocol";
import type { AskNode } from "runcast/state";
import { visibleText } from "runcast/markdown";

/** What became of an ask, in words. */
export const answerText = ({ ask, outcome, answer, by }: AskNode): string => {
  if (outcome === undefined) return "Waiting for an answer";
  if (outcome !== "answered") return OUTCOMES[outcome];
  const who = by === undefined ? "" : ` by ${by}`;
  const { allow, input, always, reason, value } = answer ?? {};
  const because = reason ? `: ${reason}` : "";
  if (allow !== undefined) {
    if (ask.kind === "confirmation") return `${allow ? "Yes" : "No"}${who}${because}`;
    if (!allow) return `Denied${who}${because}`;
    return `Allowed${input === undefined ? "" : " with edits"}${always ? " for the rest of the run" : ""}${who}${because}`;
  }
  if (value === null) return `Declined${who}${because}`;
  return `Answered${who}: ${valueText(ask, value)}`;
};

const OUTCOMES = {
  expired: "Nobody answered in time",
  cancelled: "No longer needed: it was cancelled",
  interrupted: "No longer needed: the run was interrupted",
} as const;

const LONGEST = 300;

const valueText = (ask: AskNode["ask"], value: Json | undefined): string => {
  const known = choicesOf(ask).find((option) => JSON.stringify(option.value) === JSON.stringify(value));
  const text = known?.label ?? (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
};
