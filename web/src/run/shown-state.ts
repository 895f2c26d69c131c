import type { CallOutcome, RunOutcome } from "runcast/events";

/** What a call, a sub-agent or a run may be in. */
export type ShownState = "pending" | "executing" | CallOutcome | RunOutcome;
