import type { Problem } from "../../events.ts";

/** Some clients know a wrong key by OpenAI's own code for it, some by the words that OpenAI begins the message with. */
const WRONG_KEY = "invalid_api_key";

/** An error as OpenAI's clients read it. */
export const openaiError = ({ code, message, hint, status }: Problem & { readonly status: number }) => ({
  message: `${CODES[code] === WRONG_KEY ? "Incorrect API key provided: " : ""}${hint ? `${message}: ${hint}` : message}`,
  type: typeOf(status),
  param: code === "unknown-agent" ? "model" : null,
  code: CODES[code] ?? (status === 429 ? "rate_limit_exceeded" : code),
});

/** Codes of ours that OpenAI's clients know by another name. */
const CODES: Readonly<Record<string, string>> = {
  "unknown-agent": "model_not_found",
  "key-required": WRONG_KEY,
  "wrong-key": WRONG_KEY,
};

const typeOf = (status: number): string => {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
};

/** What a remote's error says. */
export const readOpenaiError = (value: unknown): Problem => {
  if (typeof value === "string") return { code: "upstream-error", message: value };
  const error = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const { code, type, message } = error;
  const word = [code, type].find((one) => (typeof one === "string" && one !== "") || typeof one === "number");
  return {
    code: word === undefined ? "upstream-error" : String(word),
    message: typeof message === "string" && message !== "" ? message : "the remote failed without saying why",
  };
};
