import { createHmac, timingSafeEqual } from "node:crypto";

const PREFIX = "rct_";

/** Read-only tokens for one run, usable in a URL. They hold their run and expiry, and need no store. */
export interface Tokens {
  create(run: string, expires: number): string;
  /** Undefined: not a token of ours. */
  check(token: string, now: number): { readonly run: string; readonly expired: boolean } | undefined;
}

export const createTokens = (secret: string | Uint8Array): Tokens => {
  const sign = (run: string, expires: string) =>
    createHmac("sha256", secret).update(`runcast-token\n${run}\n${expires}`).digest("base64url");
  return {
    create: (run, expires) => `${PREFIX}${run}.${expires}.${sign(run, `${expires}`)}`,
    check: (token, now) => {
      const match = /^rct_([A-Za-z0-9_-]{1,256})\.(\d{1,16})\.([A-Za-z0-9_-]{43})$/.exec(token);
      if (!match) return undefined;
      const [, run = "", expires = "", signature = ""] = match;
      if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(run, expires)))) return undefined;
      return { run, expired: Number(expires) <= now };
    },
  };
};

export const looksLikeToken = (text: string): boolean => text.startsWith(PREFIX);
