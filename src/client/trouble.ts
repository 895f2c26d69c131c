import type { Problem } from "../events.ts";
import { parseJson } from "../json.ts";

/** Why a connection or request failed, and whether retrying can help. */
export interface Trouble {
  readonly problem: Problem;
  readonly final: boolean;
  /** The HTTP status, if the server responded. */
  readonly status?: number;
  /** The delay that the server requested. */
  readonly retryAfterMs?: number;
}

/** The error with which the client gives up. `status` is the HTTP status, if the server responded. `hint` suggests a fix. */
export class ClientError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  readonly hint: string | undefined;
  constructor({ code, message, hint }: Problem, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = "ClientError";
    this.code = code;
    this.status = status;
    this.hint = hint;
  }
}

export const cut = (code: string, message: string): Trouble => ({
  problem: { code, message, retryable: true },
  final: false,
});

/** The request cannot be sent at all, so retrying is pointless. */
export class Unsendable extends Error {}

/** Throws Unsendable. The message contains no values, because one of them may be a secret. */
export const checkHeaders = (headers: Record<string, string>): void => {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Unsendable("the key, or a secret, has a name or characters that are not allowed in a header");
};

/** Throws Unsendable for addresses that `fetch` would reject with what looks like a network error. */
export const checkAddress = (address: string): void => {
  // Relative to the page or worker, if there is one.
  const base = typeof document === "object" ? document.baseURI : globalThis.location?.href;
  const protocol = URL.parse(address, base)?.protocol;
  if (protocol !== "http:" && protocol !== "https:")
    throw new Unsendable(`${address} is not a server's address; use one that starts with http:// or https://`);
};

export const networkTrouble = (error: unknown): Trouble => {
  if (error instanceof Unsendable) return { problem: { code: "unsendable", message: error.message }, final: true };
  // `fetch` puts the actual reason in `cause`.
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cut("network", cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message);
};

/** Describes a response that is not a stream. Only 408, 425, 429, and server errors may succeed on a retry. */
export const troubleOf = async (response: Response): Promise<Trouble> => {
  const { status } = response;
  const reported = problemIn(await response.text());
  const isTemporary = status === 408 || status === 425 || status === 429 || isPassingFault(status, reported);
  const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"));
  return {
    problem: reported ?? { code: `http-${status}`, message: `the server returned HTTP ${status}` },
    final: !isTemporary,
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
};

/** A server that explains its error also reports whether it is temporary. A 503 always is. */
const isPassingFault = (status: number, reported: Problem | undefined): boolean =>
  status === 503 || (status >= 500 && (!reported || reported.retryable === true));

/** Undefined if the response came from an intermediary rather than the server. */
const problemIn = (body: string): Problem | undefined => {
  const { error } = (parseJson(body) ?? {}) as { error?: Problem };
  return typeof error?.code === "string" && typeof error.message === "string" ? error : undefined;
};

const parseRetryAfter = (text: string | null): number | undefined => {
  if (text === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};
