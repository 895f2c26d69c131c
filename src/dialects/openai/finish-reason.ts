import type { Finish } from "../../events.ts";

export type FinishReason = "stop" | "length" | "content_filter" | "tool_calls";

/** The finish reason for chat completions. Does not cover calls that are left to the client. */
export const finishReason = (finish: Finish | undefined): FinishReason => {
  // Clients know four reasons. Of these, `length` is the one for a truncated answer.
  if (finish === "length" || finish === "interrupted") return "length";
  return finish === "filter" ? "content_filter" : "stop";
};
