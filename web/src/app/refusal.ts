import type { Problem } from "runcast/events";
import { isRefusal } from "runcast/view";

/** Whether the same request may have another answer. */
export const mayHelp = (problem: Problem): boolean => problem.retryable === true || !isRefusal(problem);

/** The server has no use for the key or token of this page, or wants one. */
const WANTS_KEY: ReadonlySet<string> = new Set(["key-required", "wrong-key", "wrong-token"]);
export const wantsKey = ({ code }: Problem): boolean => WANTS_KEY.has(code);
