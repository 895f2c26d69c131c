import type { Problem } from "runcast/events";
import { isRefusal } from "runcast/view";

/** Whether the same request may succeed on a retry. */
export const mayHelp = (problem: Problem): boolean => problem.retryable === true || !isRefusal(problem);

/** The server rejects the page's key or token, or requires one. */
const WANTS_KEY: ReadonlySet<string> = new Set(["key-required", "wrong-key", "wrong-token"]);
export const wantsKey = ({ code }: Problem): boolean => WANTS_KEY.has(code);
