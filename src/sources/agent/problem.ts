import { APICallError } from "@ai-sdk/provider";
import type { Problem } from "../../events.ts";
import { Refusal } from "../../source.ts";

/** What a model's failure means to people and to clients. */
export const modelProblem = (error: unknown): Problem => {
  if (error instanceof Refusal) return refusalProblem(error);
  const message = messageOf(error);
  if (!APICallError.isInstance(error)) {
    return networkFault(error)
      ? { code: "model-unreachable", message, retryable: true, hint: "Check the network and the model's base URL." }
      : { code: "model-error", message, retryable: false };
  }
  const retryable = error.isRetryable;
  switch (error.statusCode) {
    case 401:
    case 403:
      return { code: "model-refused-key", message, retryable, hint: "Check the API key of this model's provider." };
    case 404:
      return { code: "model-unknown", message, retryable, hint: "Check the model's name and base URL." };
    case 429:
      return { code: "model-rate-limited", message, retryable, hint: "Try again later, or use another model." };
    default:
      return { code: "model-error", message, retryable };
  }
};

/** What a tool's throw means. The tool's own code is kept, if it has one. */
export const toolProblem = (error: unknown): Problem => {
  if (error instanceof Refusal) return refusalProblem(error);
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return { code: typeof code === "string" && code ? code : "tool-failed", message: messageOf(error) };
};

/** The problem as something to throw: the runner makes it the run's error. */
export const refusalOf = (problem: Problem, cause?: unknown): Refusal =>
  new Refusal(problem.code, problem.message, {
    status: 502,
    retryable: problem.retryable ?? false,
    ...(problem.hint !== undefined && { hint: problem.hint }),
    cause,
  });

export const refusalProblem = ({ code, message, retryable, hint }: Refusal): Problem => ({
  code,
  message,
  retryable,
  ...(hint !== undefined && { hint }),
});

export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : typeof error === "string" ? error : JSON.stringify(error)) ||
  "unknown error";

const networkFault = (error: unknown): boolean => {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ("code" in cause && typeof cause.code === "string" && NETWORK.test(cause.code)) return true;
    if (cause instanceof TypeError && cause.message === "fetch failed") return true;
  }
  return false;
};
const NETWORK = /^(ECONN|ENOTFOUND$|EAI_AGAIN$|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|UND_ERR_)/;
