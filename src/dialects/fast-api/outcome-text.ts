import type { CallOutcome } from "../../events.ts";

/** Shown in place of the result of a call that has none. */
export const OUTCOME_TEXT: Readonly<Record<Exclude<CallOutcome, "ok">, string>> = {
  error: "Unknown error",
  denied: "It was not allowed.",
  cancelled: "It was cancelled.",
  timeout: "It timed out.",
  interrupted: "It was interrupted.",
  deferred: "It is left to the client.",
};
