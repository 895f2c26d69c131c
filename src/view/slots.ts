import type { Json } from "../events.ts";
import type { RunState } from "../state.ts";
import { allowedTools, type AllowedTool, isAllowedSlot } from "./allowed.ts";
import { contextText } from "./context.ts";
import { summaryOf } from "./summary.ts";
import { oneLine } from "./text.ts";
import { describePlan, type PlanFacts } from "./todos.ts";

/** Data of a run that is shown below its work. */
export type SlotFacts = { readonly key: string } & (
  | { readonly kind: "plan"; readonly plan: PlanFacts }
  /** `value` is set if the line does not contain all of it. */
  | { readonly kind: "line"; readonly text: string; readonly value?: Json }
  /** The tools that need no approval for the rest of the run. */
  | { readonly kind: "allowed"; readonly text: string; readonly tools: readonly AllowedTool[] }
);

/**
 * Slots that are shown elsewhere (the title of a run, its mode), or are only meant for programs (the session and commands
 * of a coding agent).
 */
const ELSEWHERE: ReadonlySet<string> = new Set(["title", "tags", "follow-ups", "mode", "session", "commands"]);

const LONGEST_LINE = 100;

/** The data slots of a run that are not empty and not shown elsewhere. */
export const slotsOf = (state: RunState): readonly SlotFacts[] => [...ownSlots(state), ...allowedSlot(state)];

const ownSlots = ({ data, outcome }: RunState): readonly SlotFacts[] =>
  [...data].flatMap(([key, value]): SlotFacts[] => {
    const [name = key] = key.split(" ");
    if (ELSEWHERE.has(name) || isAllowedSlot(key) || value === undefined || isEmpty(value)) return [];
    const plan = name === "todos" ? describePlan(value, outcome !== undefined) : undefined;
    if (plan) return [{ key, kind: "plan", plan }];
    const context = name === "context" ? contextText(value) : undefined;
    if (context !== undefined) return [{ key, kind: "line", text: context }];
    const summary = summaryOf(value);
    const isWhole = typeof value !== "object" && String(value) === summary && summary.length <= LONGEST_LINE;
    return [{ key, kind: "line", text: `${oneLine(key)}: ${summary}`, ...(!isWhole && { value }) }];
  });

const allowedSlot = (state: RunState): readonly SlotFacts[] => {
  const tools = allowedTools(state);
  if (tools.length === 0) return [];
  const text = `Always allowed in this run: ${tools.map(({ tool }) => tool).join(", ")}`;
  return [{ key: "allowed in this run", kind: "allowed", text, tools }];
};

/** The mode of a coding agent. Empty if it has none, or its default one, which says nothing. */
export const modeText = ({ data }: RunState): string => {
  const mode = data.get("mode");
  return typeof mode !== "string" || mode === "" || mode === "default" ? "" : `mode: ${oneLine(mode)}`;
};

const isEmpty = (value: Json): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
