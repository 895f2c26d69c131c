import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from "@ai-sdk/provider";
import type { Problem } from "../../events.ts";
import { Refusal } from "../../source.ts";
import type { Redact } from "./redact.ts";
import { reasonIn } from "./reason.ts";
import { sentence } from "./sentence.ts";

/** Converts a model's error for users and clients. `keyVariable` is the environment variable of its key, if known. */
export const modelProblem = (error: unknown, redact: Redact, keyVariable?: string): Problem => {
  if (error instanceof Refusal) return redacted(refusalProblem(error), redact);
  const given = sentence(messageOf(error));
  // The runtime's messages for a broken connection mean nothing to users.
  const reported = /^(fetch failed|terminated|network error|cannot connect to api:?.*)$/i.test(given) ? "" : given;
  const kind = kindOf(error, reported);
  // The libraries' own messages mean nothing to users.
  const message = redact(isUnreadable(error) ? kind.text : reported || kind.text);
  const hint = kind.code === "model-unauthorized" && keyVariable ? `Check the key in ${keyVariable}.` : kind.hint;
  return { code: kind.code, message, retryable: kind.retryable, ...(hint && { hint }) };
};

/** Converts an error that a tool threw. Keeps the error's own code, if it has one. */
export const toolProblem = (error: unknown, redact: Redact): Problem => {
  if (error instanceof Refusal) return redacted(refusalProblem(error), redact);
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return {
    code: typeof code === "string" && code ? code : "tool-failed",
    message: redact(messageOf(error) || "The tool failed without giving a reason."),
  };
};

/** The problem as an exception, which the runner makes the run's error. Omits the cause, which may contain secrets. */
export const refusalOf = (problem: Problem): Refusal =>
  new Refusal(problem.code, problem.message, {
    status: 502,
    retryable: problem.retryable ?? false,
    ...(problem.hint !== undefined && { hint: problem.hint }),
  });

/** Removes secrets from an error that leaves the loop. */
export const withoutSecrets = (error: unknown, redact: Redact): unknown => {
  if (!(error instanceof Error) || redact(error.message) === error.message) return error;
  if (!(error instanceof Refusal)) return new Error(redact(error.message));
  const { code, message, status, retryable, hint } = error;
  return new Refusal(code, redact(message), { status, retryable, ...(hint !== undefined && { hint: redact(hint) }) });
};

export const stalled = (ms: number): Refusal =>
  new Refusal("model-stalled", `The model sent nothing for ${ms / 1000} seconds.`, {
    status: 504,
    retryable: true,
    hint: "Try again. If the model thinks for a long time without output, raise stallMs.",
  });

export const truncated = (): Refusal =>
  new Refusal("model-truncated", "The model's stream ended before its answer was complete.", {
    status: 502,
    retryable: true,
    hint: "Try again. If it keeps happening, look for a proxy that closes long connections.",
  });

export const filtered = (): Refusal =>
  new Refusal("model-filtered", KINDS.filtered.text, { status: 502, hint: KINDS.filtered.hint });

export const webPage = (): Refusal =>
  new Refusal("model-invalid", "The model's URL returned a web page.", {
    status: 502,
    hint: "Check the base URL: it must be the API's, and often ends in /v1.",
  });

const redacted = (problem: Problem, redact: Redact): Problem => ({
  ...problem,
  message: redact(problem.message),
  ...(problem.hint !== undefined && { hint: redact(problem.hint) }),
});

const refusalProblem = ({ code, message, retryable, hint }: Refusal): Problem => ({
  code,
  message,
  retryable,
  ...(hint !== undefined && { hint }),
});

interface Kind {
  readonly code: string;
  readonly retryable: boolean;
  /** Used if the provider sends no message. */
  readonly text: string;
  readonly hint?: string;
}

const KINDS = {
  unauthorized: {
    code: "model-unauthorized",
    retryable: false,
    text: "The provider rejected the key.",
    hint: "Check the API key of this model's provider.",
  },
  quota: {
    code: "model-quota",
    retryable: false,
    text: "The provider account is out of credit.",
    hint: "Check the provider account's plan and credit, or use another model.",
  },
  unknown: {
    code: "model-unknown",
    retryable: false,
    text: "The provider does not know this model.",
    hint: "Check the model's name and base URL.",
  },
  tooLong: {
    code: "model-context-length",
    retryable: false,
    text: "The conversation is too long for the model.",
    hint: "Start a new conversation, leave out large files, or use a model with a larger context.",
  },
  filtered: {
    code: "model-filtered",
    retryable: false,
    text: "The provider's content filter stopped the answer.",
    hint: "Rephrase the request, or use another model.",
  },
  limited: {
    code: "model-rate-limited",
    retryable: true,
    text: "The provider is limiting requests right now.",
    hint: "Try again later, or use another model.",
  },
  unavailable: {
    code: "model-unavailable",
    retryable: true,
    text: "The provider has an internal problem.",
    hint: "Try again later, or use another model.",
  },
  unreachable: {
    code: "model-unreachable",
    retryable: true,
    text: "The provider cannot be reached.",
    hint: "Check the network and the model's base URL.",
  },
  truncated: { code: "model-truncated", retryable: true, text: truncated().message, hint: "Try again." },
  invalid: {
    code: "model-invalid",
    retryable: true,
    text: "The model's answer could not be read.",
    hint: "Try again. If it keeps happening, check that the base URL serves this provider's format.",
  },
  other: { code: "model-error", retryable: false, text: "The model failed without giving a reason." },
} as const satisfies Record<string, Kind>;

const kindOf = (error: unknown, reported: string): Kind => {
  if (isNetworkFault(error)) return KINDS.unreachable;
  const status = statusOf(error);
  // Providers report these with various statuses, and some mid-stream without one.
  const about = `${reported} ${typeOf(error)}`;
  if (TOO_LONG.test(about)) return KINDS.tooLong;
  if (QUOTA.test(about) || status === 402) return KINDS.quota;
  if (FILTERED.test(about)) return KINDS.filtered;
  if (status === 401 || status === 403 || UNAUTHORIZED.test(about)) return KINDS.unauthorized;
  if (status === 429 || LIMITED.test(about)) return KINDS.limited;
  if (status === 404) return KINDS.unknown;
  if (status === 408 || status === 409 || (status ?? 0) >= 500 || UNAVAILABLE.test(about)) return KINDS.unavailable;
  if (InvalidResponseDataError.isInstance(error) && /without a finish/.test(reported)) return KINDS.truncated;
  if (isUnreadable(error)) return KINDS.invalid;
  return { ...KINDS.other, retryable: APICallError.isInstance(error) && error.isRetryable };
};

const UNREADABLE = [JSONParseError, TypeValidationError, InvalidResponseDataError, EmptyResponseBodyError];
const isUnreadable = (error: unknown): boolean => UNREADABLE.some((kind) => kind.isInstance(error));
const TOO_LONG =
  /context.?(length|window|size|limit)|maximum context|prompt is too long|too many tokens|exceeds? the (maximum|limit).*token|token count.*exceeds|request_too_large/i;
const QUOTA =
  /insufficient_quota|exceeded your current quota|credit balance is too low|insufficient (credits|balance)/i;
const UNAUTHORIZED =
  /invalid_api_key|api_key_invalid|authentication_error|permission_error|unauthorized|(incorrect|invalid|missing|wrong|no) (api.?key|access token)|api.?key (is )?(not valid|invalid|missing|required|expired|incorrect)/i;
const LIMITED = /rate.?limit|too many requests|resource_exhausted/i;
const FILTERED = /content.?(filter|policy|management)|responsible.?ai|safety system|blocked by .*(safety|policy)/i;
const UNAVAILABLE = /overloaded|server_error|service.?unavailable|internal.?error|api_error|try again later/i;

/** The status of the provider's response, or of an error in its stream. */
const statusOf = (error: unknown): number | undefined => {
  const status = APICallError.isInstance(error) ? error.statusCode : fieldOf(error, "status", "statusCode", "code");
  const count = Number(status);
  return count >= 400 && count < 600 ? count : undefined;
};

const typeOf = (error: unknown): string => {
  const data = APICallError.isInstance(error) ? fieldOf(error.data, "error") : error;
  return [fieldOf(data, "type"), fieldOf(data, "code")].filter((field) => typeof field === "string").join(" ");
};

export const messageOf = (error: unknown): string => {
  if (APICallError.isInstance(error)) {
    const reason = reasonIn(error.responseBody ?? "", error.statusCode);
    if (reason !== undefined) return reason;
    return error.responseBody !== undefined && STATUS_TEXT.test(error.message)
      ? `The provider returned ${error.statusCode} without giving a reason.`
      : error.message;
  }
  if (error instanceof Error) return error.message;
  if (typeof error === "string") return error;
  const message = fieldOf(error, "message") ?? fieldOf(fieldOf(error, "error"), "message");
  if (typeof message === "string") return message;
  return attempt(() => JSON.stringify(error)) ?? String(error);
};

/** The standard text of a status adds nothing to the status. */
const STATUS_TEXT =
  /^(bad request|unauthorized|payment required|forbidden|not found|method not allowed|conflict|unprocessable (entity|content)|too many requests|internal server error|not implemented|bad gateway|service unavailable|gateway timeout)?$/i;

const fieldOf = (value: unknown, ...names: readonly string[]): unknown => {
  if (typeof value !== "object" || value === null) return undefined;
  const name = names.find((candidate) => (value as Record<string, unknown>)[candidate] !== undefined);
  return name === undefined ? undefined : (value as Record<string, unknown>)[name];
};

const attempt = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const isNetworkFault = (error: unknown): boolean => {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ("code" in cause && typeof cause.code === "string" && NETWORK.test(cause.code)) return true;
    if (cause instanceof TypeError && /^(fetch failed|terminated|network error)$/.test(cause.message)) return true;
  }
  return false;
};
const NETWORK =
  /^(ECONN|ENOTFOUND$|EAI_AGAIN$|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|UND_ERR_|CERT_|ERR_SSL|ERR_TLS)/;
