import type { Problem } from "../../events.ts";
import { problemText } from "../frames/problem-text.ts";

/** Some clients detect a wrong key by OpenAI's code, others by the prefix of OpenAI's message. */
const WRONG_KEY = "invalid_api_key";

/** An error in OpenAI's format. */
export const openaiError = ({ code, message, hint, status }: Problem & { readonly status: number }) => ({
  message: `${CODES[code] === WRONG_KEY ? "Incorrect API key provided: " : ""}${problemText({ message, hint })}`,
  type: typeOf(status),
  param: code === "unknown-agent" ? "model" : null,
  code: CODES[code] ?? (status === 429 ? "rate_limit_exceeded" : code),
});

/** Our error codes that have a different name at OpenAI. */
const CODES: Readonly<Record<string, string>> = {
  "unknown-agent": "model_not_found",
  "key-required": WRONG_KEY,
  "wrong-key": WRONG_KEY,
};

const typeOf = (status: number): string => {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
};

/** Reads the error of a remote. */
export const readOpenaiError = (value: unknown): Problem => {
  if (typeof value === "string") return { code: "upstream-error", message: value };
  const error = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const { code, type, message } = error;
  const word = [code, type].find((one) => (typeof one === "string" && one !== "") || typeof one === "number");
  return {
    code: word === undefined ? "upstream-error" : String(word),
    message:
      typeof message === "string" && message !== "" ? message : "the remote server failed without giving a reason",
  };
};
