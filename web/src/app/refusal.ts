import type { Problem } from "runcast/events";
import { isRefusal, refusedKey } from "runcast/view";

/** Whether the same request may succeed on a retry. A missing key can be entered on the page. */
export const mayHelp = (problem: Problem): boolean =>
  problem.retryable === true || !isRefusal(problem) || refusedKey(problem) !== undefined;

/** The server rejects the page's key or token, or requires one. */
const WANTS_KEY: ReadonlySet<string> = new Set(["key-required", "wrong-key", "wrong-token"]);
export const wantsKey = ({ code }: Problem): boolean => WANTS_KEY.has(code);
