import type { Problem } from "../events.ts";
import { parseJson } from "../json.ts";

/** Why a connection or a request came to nothing, and whether trying again can help. */
export interface Trouble {
  readonly problem: Problem;
  readonly final: boolean;
  /** The HTTP status, if the server answered. */
  readonly status?: number;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs?: number;
}

/** What the client gives up with. `status` is the HTTP status, if the server answered; `hint` says what to do about it. */
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

/** Thrown for a request that cannot even be made: trying again would change nothing. */
export class Unsendable extends Error {}

/** Throws an Unsendable that names no value: one of them may be a secret. */
export const checkHeaders = (headers: Record<string, string>): void => {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Unsendable("the key, or a secret, has a name or characters that no header can carry");
};

/** Throws an Unsendable for what `fetch` would fail at as if there were no network. */
export const checkAddress = (address: string): void => {
  // Relative to the page or the worker, where there is one.
  const base = typeof document === "object" ? document.baseURI : globalThis.location?.href;
  const protocol = URL.parse(address, base)?.protocol;
  if (protocol !== "http:" && protocol !== "https:")
    throw new Unsendable(`${address} is no address of a server; one begins with http:// or https://`);
};

export const networkTrouble = (error: unknown): Trouble => {
  if (error instanceof Unsendable) return { problem: { code: "unsendable", message: error.message }, final: true };
  // fetch hides the reason of a failure in its cause.
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cut("network", cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message);
};

/** What an answer without a stream says. Only these may be different next time: too early, too much, the server's own fault. */
export const troubleOf = async (response: Response): Promise<Trouble> => {
  const { status } = response;
  const reported = problemIn(await response.text());
  const isTemporary = status === 408 || status === 425 || status === 429 || isPassingFault(status, reported);
  const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"));
  return {
    problem: reported ?? { code: `http-${status}`, message: `the answer was HTTP ${status}` },
    final: !isTemporary,
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
};

/** A server that explains its fault knows whether it passes; 503 says by itself that it does. */
const isPassingFault = (status: number, reported: Problem | undefined): boolean =>
  status === 503 || (status >= 500 && (!reported || reported.retryable === true));

/** Undefined if it is not the server that speaks but something before it. */
const problemIn = (body: string): Problem | undefined => {
  const { error } = (parseJson(body) ?? {}) as { error?: Problem };
  return typeof error?.code === "string" && typeof error.message === "string" ? error : undefined;
};

const parseRetryAfter = (text: string | null): number | undefined => {
  if (text === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};
