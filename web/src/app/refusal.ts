import type { Problem } from "runcast/events";

/** What ends a connection without a word of the server. */
const UNSAID: ReadonlySet<string> = new Set(["no-stream", "reader-failed"]);

/** Whether a server has answered and said no. */
export const isRefusal = ({ code }: Problem): boolean => !UNSAID.has(code);

/** Whether the same request may have another answer. */
export const mayHelp = (problem: Problem): boolean => problem.retryable === true || !isRefusal(problem);

export const wantsKey = ({ code }: Problem): boolean => code === "key-required" || code === "wrong-key";
