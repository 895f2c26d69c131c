import type { Problem } from "../events.ts";
import { messageOf } from "../message-of.ts";
import { LogMissing } from "../log.ts";
import { Refusal } from "../source.ts";

/** The error of a run that was ended by an exception. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Refusal)
    return {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      ...(error.hint && { hint: error.hint }),
    };
  return { code: "agent-failed", message: messageOf(error), retryable: false };
};

/** The error of a run whose log could not be written for a while. */
export const logFailed = (error: unknown): Problem => ({
  code: "log-failed",
  message: `the run's log could not be written${reasonOf(error)}`,
  retryable: true,
});

/** The refusal for a file that the log did not store. */
export const fileNotStored = (error: unknown): Refusal =>
  error instanceof Refusal || error instanceof LogMissing
    ? (error as Refusal)
    : new Refusal("log-failed", `the file could not be stored${reasonOf(error)}`, {
        status: 503,
        retryable: true,
        cause: error,
        hint: "see the server's output for details",
      });

/** A log's own message may contain its directory or its engine's address. Expose only the reason meant for clients. */
const reasonOf = (error: unknown): string => {
  const { reason } = (error ?? {}) as { readonly reason?: unknown };
  return typeof reason === "string" ? `: ${reason}` : "";
};

/** The refusal for a caller that waits for a run's end while the log cannot be written. */
export const endNotStored = (run: string): Refusal =>
  new Refusal("log-failed", `run ${run} has stopped, but its log cannot be written`, {
    status: 503,
    retryable: true,
    hint: "its end will be stored when the log can be written again",
  });

export const timedOut = (timeoutMs: number): Problem => ({
  code: "timeout",
  message: `the run took longer than ${timeoutMs} ms`,
  retryable: true,
});

export const tooLarge = (maxBytes: number): Refusal =>
  new Refusal("too-large", `the run exceeded its limit of ${maxBytes} bytes`, {
    hint: "raise maxBytes, or return less from tools",
  });
