import type { Finish } from "../../events.ts";

export type FinishReason = "stop" | "length" | "content_filter" | "tool_calls";

/** How an answer ended, in the words of OpenAI's chat completions. Calls that are left to the client are said elsewhere. */
export const finishReason = (finish: Finish | undefined): FinishReason => {
  // Clients know four words; of those, this one says that the answer broke off.
  if (finish === "length" || finish === "interrupted") return "length";
  return finish === "filter" ? "content_filter" : "stop";
};
