import { LogMissing, LogReset } from "../log.ts";
import { Refusal } from "../source.ts";

/** A refusal with additional headers, such as Retry-After or Allow. */
export class HttpRefusal extends Refusal {
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: string,
    message: string,
    hint: string,
    { headers = {}, retryable = false }: { headers?: Record<string, string>; retryable?: boolean } = {},
  ) {
    super(code, message, { status, hint, retryable });
    this.headers = headers;
  }
}

/** The refusal to send for an error, and whether to report the error to the operator. */
export const refusalOf = (error: unknown): { readonly refusal: Refusal; readonly unexpected: boolean } => {
  // An agent may have thrown it, and a status outside this range cannot be sent.
  if (error instanceof Refusal && error.status >= 400 && error.status < 600)
    return { refusal: error, unexpected: false };
  if (error instanceof LogMissing) return { refusal: missing(error.message, error.dropped), unexpected: false };
  if (error instanceof LogReset) return { refusal: reset(error.message), unexpected: true };
  const message = "the server failed to handle this request";
  return {
    refusal: new Refusal("internal", message, {
      status: 500,
      retryable: true,
      hint: "see the server's output for the reason",
    }),
    unexpected: true,
  };
};

export const reset = (message: string): Refusal =>
  new Refusal("log-reset", message, { status: 409, hint: "read the run again from its beginning" });

export const missing = (message: string, dropped: boolean): Refusal =>
  dropped
    ? new Refusal("run-dropped", message, {
        status: 410,
        hint: "the retention settings determine how long runs are stored",
      })
    : new Refusal("unknown-run", message, { status: 404, hint: "GET /runs lists the stored runs" });

export const taken = (run: string): Refusal =>
  new Refusal("run-taken", `the run id ${run} is taken`, { status: 409, hint: "choose another id, or leave it out" });

/** For exceeded limits. `setting` names the limit. */
export const tooMany = (code: string, message: string, setting: string): HttpRefusal =>
  new HttpRefusal(429, code, message, `the ${setting} setting sets this limit; try again soon`, {
    headers: { "retry-after": "2" },
    retryable: true,
  });

export const problemOf = ({ code, message, retryable, hint }: Refusal) => ({
  code,
  message,
  ...(retryable && { retryable }),
  ...(hint !== undefined && { hint }),
});

/** Returns undefined for a missing run if a status for that is given. Rethrows any other error. */
export const unlessMissing = (status: number | undefined) => (error: unknown) => {
  if (status !== undefined && error instanceof Refusal && error.status === 404) return undefined;
  throw error;
};
