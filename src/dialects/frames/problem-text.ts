import type { Problem } from "../../events.ts";

/** What went wrong, and what to do about it, for clients that show one text. */
export const problemText = ({ message, hint }: Pick<Problem, "message" | "hint">): string => {
  if (hint === undefined || hint === "") return message;
  return /[.!?]$/.test(message) ? `${message} ${hint}` : `${message} (${hint})`;
};

/** The way back: the message alone. */
export const messageBefore = (text: string, hint: string | undefined): string => {
  if (hint === undefined || hint === "") return text;
  for (const after of [` ${hint}`, ` (${hint})`]) if (text.endsWith(after)) return text.slice(0, -after.length);
  return text;
};
