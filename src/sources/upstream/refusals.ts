import { Refusal, type RunRequest } from "../../source.ts";
import { parseJson } from "../../json.ts";

/** Converts a response that is not a stream, with the server's own message. */
export const refusalOf = async (response: Response, dialect: string): Promise<Refusal> => {
  const { status, ok } = response;
  const text = await textOf(response);
  if (ok)
    return new Refusal("upstream-no-stream", `the upstream server did not return a stream${text && `: ${text}`}`, {
      status: 502,
      hint: `check that the server at url implements ${dialect}`,
    });
  const reported = reportIn(text);
  // The wrong key is the agent's, not the client's.
  const isOurKey = status === 401 || status === 403;
  return new Refusal(
    reported.code ?? "upstream-refused",
    reported.message || `the upstream server returned ${status}`,
    {
      status: isOurKey || status >= 600 || status < 400 ? 502 : status,
      retryable: isTemporary(status),
      ...(isOurKey
        ? { hint: "check the agent's key and headers for its url" }
        : reported.hint && { hint: reported.hint }),
    },
  );
};

/** Whether the same request may soon get a different response. */
export const isTemporary = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501);

export const unreachable = (url: string, cause: unknown): Refusal =>
  new Refusal("upstream-unreachable", `the upstream server cannot be reached: ${reasonOf(cause)}`, {
    status: 502,
    retryable: true,
    hint: `check that it is running at ${new URL(url).origin}`,
    cause,
  });

export const upstreamCut = (message: string): Refusal =>
  new Refusal("upstream-cut", message, { status: 502, retryable: true });

/** Values sent to the server that must not be shown. */
export const secretsOf = (
  { url, key = "", headers = {} }: { url: string; key?: string; headers?: Readonly<Record<string, string>> },
  { secrets = {} }: RunRequest,
): string[] => {
  const { username = "", password = "" } = URL.parse(url) ?? {};
  const values = [key, username, password, ...Object.values(headers), ...Object.values(secrets)];
  return [...values, ...values.map((value) => value.replace(/^\w+ /, ""))].filter(({ length }) => length >= SHORTEST);
};

/** Removes secrets. Servers, and fetch itself, repeat parts of the request in their errors. */
export const withoutSecrets = (error: unknown, secrets: readonly string[]): unknown => {
  if (!(error instanceof Refusal)) return error;
  // The longest first, because one secret may be part of another.
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length);
  const clean = (text: string) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
  const { code, message, status, retryable, hint } = error;
  const cleaned = { code: clean(code), message: clean(message), ...(hint !== undefined && { hint: clean(hint) }) };
  if (cleaned.code === code && cleaned.message === message && cleaned.hint === hint) return error;
  return new Refusal(cleaned.code, cleaned.message, {
    status,
    retryable,
    ...(cleaned.hint !== undefined && { hint: cleaned.hint }),
  });
};

/** Shorter values would also match ordinary words. */
const SHORTEST = 6;

/** fetch puts the reason for a failure into the error's cause. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error && cause.message ? cause.message : message;
};

const LONGEST = 2000;

/** The beginning of the body. It is for display, and a server may send any amount. */
const textOf = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > 16 * LONGEST) break;
    }
  } catch {
    // What came before the failure is still useful.
  }
  return text.trim();
};

/** Known formats: `{error: {code, message, hint}}`, `{error: "…"}`, `{message}` and `{detail}`. Otherwise the text itself. */
const reportIn = (text: string): { code?: string; message: string; hint?: string } => {
  const body = parseJson(text);
  if (body === undefined) return { message: /^\s*</.test(text) ? "" : text.slice(0, LONGEST) };
  const inner = field(body, "error") ?? field(body, "detail") ?? body;
  const code = field(inner, "code");
  const hint = field(inner, "hint");
  const message = typeof inner === "string" ? inner : (field(inner, "message") ?? field(inner, "error"));
  return {
    ...(typeof code === "string" && { code: code.slice(0, 100) }),
    message: (typeof message === "string" ? message : text).slice(0, LONGEST),
    ...(typeof hint === "string" && { hint: hint.slice(0, LONGEST) }),
  };
};

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
