import type { ChatMessage } from "./conversation.ts";

/** Pages before version 2 of the file format stored `output` as `said`. Returns any other value unchanged. */
export const readStoredMessage = (stored: unknown): ChatMessage => {
  if (typeof stored !== "object" || stored === null || !("said" in stored)) return stored as ChatMessage;
  const { said, ...rest } = stored;
  return { ...rest, output: said } as unknown as ChatMessage;
};
