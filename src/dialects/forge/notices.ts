import type { EventOf } from "../../events.ts";

type Notice = EventOf<"notice">;

/** The card for a notice. Forge's `error` event cannot be used, because it ends the client's stream. */
export const NOTICE = "runcast__notice";

const LEVELS: ReadonlySet<unknown> = new Set<Notice["level"]>(["info", "warning", "error"]);

/** The inverse: the notice of a card with these arguments and this result. */
export const noticeOf = (input: Readonly<Record<string, unknown>>, result: unknown): Notice | undefined => {
  const { level } = input;
  if (typeof result !== "string") return undefined;
  return { type: "notice", level: LEVELS.has(level) ? (level as Notice["level"]) : "info", text: result };
};
