import { z } from "zod";
import { type Fields, fieldsOf } from "../../json.ts";
import type { Answer, AskKind, EventOf, Json } from "../../events.ts";
import { choicesOf } from "../../protocol.ts";
import { tagOf } from "./frames.ts";

type Ask = EventOf<"ask-start">;
type Given = { readonly ask: string; readonly answer: Answer };

export const resumeSchema = z.object({
  interruptId: z.string().min(1).max(256),
  status: z.enum(["resolved", "cancelled"]),
  payload: z.json().optional(),
});
export type Resume = z.infer<typeof resumeSchema>;

/** The latest time that a Date can represent. */
const LATEST = 8.64e15;

const isApproval = (kind: AskKind): boolean => kind === "approval" || kind === "confirmation";

/** An ask as an interrupt. Its payload is `{ approved, … }` for approvals and confirmations and `{ value }` for all others. */
export const interruptOf = (ask: Ask): object => {
  const { kind, call, title, message, value, options, allows, expires, schema } = ask;
  return {
    id: ask.ask,
    reason: kind === "approval" ? "tool_call" : kind === "confirmation" ? "confirmation" : "input_required",
    message: message ?? title ?? "Waiting for an answer.",
    ...(call !== undefined && { toolCallId: call }),
    responseSchema: isApproval(kind) ? approvalSchema(ask) : valueSchema(ask),
    ...(expires !== undefined && expires <= LATEST && { expiresAt: new Date(expires).toISOString() }),
    ...tagOf(ask.agent),
    metadata: { runcast: defined({ kind, title, message, value, options, allows, schema, expires }) },
  };
};

const approvalSchema = ({ kind, allows = ["edit", "reason"], options }: Ask): object => ({
  type: "object",
  properties: {
    approved: { type: "boolean" },
    ...(kind === "approval" && allows.includes("edit") && { editedArgs: { type: "object" } }),
    ...(allows.includes("reason") && { reason: { type: "string" } }),
    ...(allows.includes("always") && { always: { type: "boolean" } }),
    ...(options && kind === "approval" && { option: { enum: (options as { id: string }[]).map(({ id }) => id) } }),
  },
  required: ["approved"],
});

const valueSchema = (ask: Ask): object => {
  const choices = choicesOf(ask).map(({ value }) => value);
  const value = ask.schema ?? (choices.length > 0 ? { enum: choices } : {});
  return { type: "object", properties: { value }, required: ["value"] };
};

/** The client's answer. It does not contain the kind of the ask, so a refusal has the fields for both. */
export const answerOf = ({ interruptId, status, payload }: Resume): Given => {
  if (status === "cancelled") return { ask: interruptId, answer: { allow: false, value: null } };
  const { approved, editedArgs, reason, always, option } = fieldsOf(payload);
  if (!("value" in fieldsOf(payload)) && typeof approved === "boolean")
    return {
      ask: interruptId,
      answer: {
        allow: approved,
        ...(editedArgs !== undefined && { input: editedArgs as Json }),
        ...(typeof reason === "string" && { reason }),
        ...(typeof always === "boolean" && { always }),
        ...(typeof option === "string" && { option }),
      },
    };
  const { value = payload } = fieldsOf(payload);
  return { ask: interruptId, answer: value === undefined ? {} : { value: value as Json } };
};

/** The inverse of `answerOf`. */
export const resumeOf = ({ ask, answer }: Given): Resume => {
  const { allow, input, reason, always, option, value } = answer;
  const payload =
    allow === undefined ? defined({ value }) : defined({ approved: allow, editedArgs: input, reason, always, option });
  return { interruptId: ask, status: "resolved", payload: payload as Json };
};

/** The ask of an interrupt. `isPending` returns whether a call can still be approved. */
export const askOf = (interrupt: Fields, isPending: (call: string) => boolean): Ask | undefined => {
  const { id, reason, message, toolCallId, responseSchema, expiresAt } = interrupt;
  if (typeof id !== "string" || id === "") return undefined;
  const own = fieldsOf(fieldsOf(interrupt["metadata"])["runcast"]);
  if (typeof own["kind"] === "string") return { type: "ask-start", ...callOf(toolCallId), ...own, ask: id } as Ask;
  const { properties } = fieldsOf(responseSchema);
  const { approved, editedArgs, reason: why } = fieldsOf(properties);
  const call = typeof toolCallId === "string" && isPending(toolCallId) ? toolCallId : undefined;
  const expires = typeof expiresAt === "string" ? Date.parse(expiresAt) : Number.NaN;
  const common = {
    type: "ask-start" as const,
    ask: id,
    ...(typeof message === "string" && { message }),
    ...(expires >= 0 && { expires }),
  };
  if (approved === undefined)
    return { ...common, kind: "input", ...(responseSchema !== undefined && { schema: responseSchema as Json }) };
  const allows = [...(editedArgs ? (["edit"] as const) : []), ...(why ? (["reason"] as const) : [])];
  return call !== undefined && reason === "tool_call"
    ? { ...common, kind: "approval", call, allows }
    : { ...common, kind: "confirmation", allows: allows.filter((one) => one === "reason") };
};

const callOf = (call: unknown) => (typeof call === "string" ? { call } : {});

const defined = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
