import type { Problem } from "runcast/events";
import { isRefusal } from "runcast/view";

/** Whether the same request may have another answer. */
export const mayHelp = (problem: Problem): boolean => problem.retryable === true || !isRefusal(problem);

export const wantsKey = ({ code }: Problem): boolean => code === "key-required" || code === "wrong-key";
