import type { EventOf } from "../../events.ts";

type Notice = EventOf<"notice">;

/** The card that tells a notice: Forge's own word for trouble, `error`, ends the stream of its clients. */
export const NOTICE = "runcast__notice";

const LEVELS: ReadonlySet<unknown> = new Set<Notice["level"]>(["info", "warning", "error"]);

/** The way back: what a card with these arguments and this result tells. */
export const noticeOf = (input: Readonly<Record<string, unknown>>, result: unknown): Notice | undefined => {
  const { level } = input;
  if (typeof result !== "string") return undefined;
  return { type: "notice", level: LEVELS.has(level) ? (level as Notice["level"]) : "info", text: result };
};
