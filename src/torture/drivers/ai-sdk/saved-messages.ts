import type { Event, Json } from "../../../events.ts";
import { type Fields, fieldsOf, listOf } from "../../../json.ts";

/** Reads a saved chat, a list of UI messages. Returns the user's last message, and the agent's answer as events. */
export const readSaved = (saved: unknown): { readonly asked: string; readonly events: readonly Event[] } => {
  const messages = listOf(saved).map(fieldsOf);
  const user = messages.findLast(({ role }) => role === "user");
  const asked = partsOf(user).map(({ text }) => (typeof text === "string" ? text : ""));
  const last = messages.at(-1);
  if (last?.["role"] !== "assistant") return { asked: asked.join(""), events: [] };
  const parts = partsOf(last);
  const isWaiting = parts.some(({ state }) => state === "approval-requested");
  const events: Event[] = [
    { type: "step-start", step: "saved" },
    ...parts.flatMap((part, index) => eventsOf(part, `saved-${index}`)),
    ...(isWaiting ? [] : [{ type: "run-end", outcome: "done" } as const]),
  ];
  return { asked: asked.join(""), events };
};

const partsOf = (message: Fields | undefined): readonly Fields[] => listOf(message?.["parts"]).map(fieldsOf);

const eventsOf = (part: Fields, id: string): Event[] => {
  const type = String(part["type"]);
  if (type === "text")
    return [
      { type: "text-start", part: id },
      { type: "text-delta", part: id, delta: String(part["text"]) },
      { type: "text-end", part: id },
    ];
  if (!type.startsWith("tool-") && type !== "dynamic-tool") return [];
  const call = String(part["toolCallId"]);
  const name = type === "dynamic-tool" ? String(part["toolName"]) : type.slice("tool-".length);
  const { state, output, errorText } = part;
  const asked: Event[] = [
    { type: "tool-start", call, name },
    { type: "tool-input-end", call, input: (part["input"] ?? {}) as Json },
  ];
  if (state === "output-available") return [...asked, { type: "tool-end", call, outcome: "ok", value: output as Json }];
  if (state === "output-error")
    return [
      ...asked,
      { type: "tool-end", call, outcome: "error", error: { code: "error", message: String(errorText) } },
    ];
  if (state === "approval-requested")
    return [...asked, { type: "ask-start", ask: String(fieldsOf(part["approval"])["id"]), kind: "approval", call }];
  return asked;
};
