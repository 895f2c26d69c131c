import type { Message } from "../../events.ts";

/** How much of an earlier conversation to send to an agent that does not know it, counted from the end. */
const MAX_HISTORY = 60_000;

/** A conversation as text, for an agent that does not accept messages. */
export const transcript = (messages: readonly Message[]): string => {
  const lines = messages.flatMap(({ role, content }) => {
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return text === "" || (role !== "user" && role !== "assistant") ? [] : [`${role}: ${text}`];
  });
  return lines.join("\n\n").slice(-MAX_HISTORY);
};
