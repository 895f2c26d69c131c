/** An error's message and hint as one text, for clients that show only one. */
export const problemText = ({ message, hint }: { message: string; hint?: string | undefined }): string => {
  if (hint === undefined || hint === "") return message;
  return /[.!?]$/.test(message) ? `${message} ${hint}` : `${message} (${hint})`;
};

/** The inverse: only the message. */
export const messageBefore = (text: string, hint: string | undefined): string => {
  if (hint === undefined || hint === "") return text;
  for (const after of [` ${hint}`, ` (${hint})`]) if (text.endsWith(after)) return text.slice(0, -after.length);
  return text;
};
