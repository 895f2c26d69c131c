import type { Fields } from "../../json.ts";
import type { Answer, Event, EventOf } from "../../events.ts";
import type { OpenCall } from "../upstream/agent-writer.ts";
import { formSchema, formValues, questionsOf, withSelections } from "./forms.ts";
import type { ToolFields } from "./tool.ts";

export type AskEvent = Omit<EventOf<"ask-start">, "type" | "ask">;

export interface ToolAsk {
  readonly event: AskEvent;
  /** The tool with the answer filled in, and the events that the answer causes. Without an answer, no decision was made. */
  resolve(answer: Answer | undefined): { readonly fields: Fields; readonly events: Event[] };
}

/** The ask for a waiting call, depending on what it waits for. */
export const toolAsk = (call: OpenCall, { raw }: ToolFields): ToolAsk => {
  if (Array.isArray(raw["user_feedback_schema"]))
    return {
      event: { title: `${call.name} asks`, ...questionsOf(raw["user_feedback_schema"]) },
      resolve: (answer) => ({ fields: { ...raw, ...withSelections(raw, answer?.value), answered: true }, events: [] }),
    };
  if (raw["external_execution_required"] === true) return resultAsk(call, raw);
  if (raw["requires_user_input"] === true)
    return {
      event: { kind: "input", title: `${call.name} needs input`, ...formSchema(raw["user_input_schema"]) },
      resolve: (answer) => ({
        fields: { ...raw, ...formValues(raw["user_input_schema"], answer?.value), answered: true },
        events: [],
      }),
    };
  return approval(call, raw);
};

const NO_RESULT = "No one provided a result.";

/** Agno reports nothing more about a call that runs elsewhere, so the answer ends it. */
const resultAsk = (call: OpenCall, raw: Fields): ToolAsk => ({
  event: {
    kind: "result",
    call: call.id,
    title: `Result of ${call.name}`,
    message: "This tool runs outside the agent. Run it and enter its result.",
    ...(call.input !== undefined && { value: call.input }),
  },
  resolve: (answer) => {
    const { value } = answer ?? {};
    const isGiven = value !== undefined && value !== null;
    const text = isGiven ? (typeof value === "string" ? value : JSON.stringify(value)) : NO_RESULT;
    const result = isGiven
      ? { content: [{ type: "text" as const, text }] }
      : { error: { code: "no-result", message: NO_RESULT } };
    return { fields: { ...raw, result: text }, events: call.writer.endCall(call, isGiven ? "ok" : "error", result) };
  },
});

/** Agno reports nothing more about a rejected call, so the answer ends it. */
const approval = (call: OpenCall, raw: Fields): ToolAsk => ({
  event: {
    kind: "approval",
    call: call.id,
    title: `Allow ${call.name}?`,
    ...(call.input !== undefined && { value: call.input }),
    allows: ["edit", "reason"],
  },
  resolve: (answer) => {
    if (answer?.allow === true) {
      const edited = answer.input !== undefined && { tool_args: answer.input };
      return { fields: { ...raw, confirmed: true, ...edited }, events: [] };
    }
    const note = answer ? answer.reason : "No one answered.";
    const error = { code: "denied", message: note ?? "The user denied this call." };
    return {
      fields: { ...raw, confirmed: false, confirmation_note: note ?? null },
      events: call.writer.endCall(call, "denied", { error }),
    };
  },
});
