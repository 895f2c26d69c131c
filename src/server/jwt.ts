import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import { type Principal, type Right, RIGHTS, DEFAULT_RIGHTS } from "../access.ts";
import { messageOf } from "../message-of.ts";
import { HttpRefusal } from "./refusals.ts";

/** Which tokens of an identity provider are accepted. */
export interface JwtOptions {
  /** The URL of the provider's public keys. */
  readonly jwks: string;
  readonly issuer: string;
  readonly audience: string | readonly string[];
  /** The claim with the user's id. Default: `sub`. */
  readonly user?: string;
  /** The claim with the list of rights. Default: every user has `start`, `watch` and `answer`. */
  readonly rights?: string;
}

/** The principal of this token. Throws a Refusal if it is not accepted. */
export type VerifyJwt = (token: string) => Promise<Principal>;

/** Only asymmetric signatures, which only the provider can create. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const FETCH_MS = 5000;
/** Allows for clock skew. */
const TOLERANCE_SECONDS = 5;
const LONGEST_USER = 256;

export const createVerifyJwt = ({ jwks, issuer, audience, user = "sub", rights }: JwtOptions): VerifyJwt => {
  const keys = createRemoteJWKSet(new URL(jwks), { timeoutDuration: FETCH_MS });
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: [audience].flat(),
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE_SECONDS,
        requiredClaims: ["exp", user],
      });
      const id = payload[user];
      if (typeof id !== "string" || id === "" || id.length > LONGEST_USER)
        throw wrong(`its ${user} claim does not name a user`);
      return {
        name: id,
        user: id,
        rights: rights === undefined ? DEFAULT_RIGHTS : rightsIn(payload[rights]),
        expires: (payload.exp ?? 0) * 1000,
      };
    } catch (error) {
      throw refusalOf(error);
    }
  };
};

export const looksLikeJwt = (text: string): boolean => /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(text);

const rightsIn = (claim: unknown): readonly Right[] => {
  const claimed: readonly unknown[] =
    typeof claim === "string" ? claim.split(/[\s,]+/) : Array.isArray(claim) ? claim : [];
  return RIGHTS.filter((right) => claimed.includes(right));
};

/** An invalid token is the sender's fault. An unreachable provider is not. */
const refusalOf = (error: unknown): HttpRefusal => {
  if (error instanceof HttpRefusal) return error;
  if (error instanceof errors.JWTExpired) return wrong("it has expired");
  const isTheirs = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout);
  if (isTheirs && error.code !== "ERR_JOSE_GENERIC") return wrong(messageOf(error));
  return new HttpRefusal(
    503,
    "no-identity-provider",
    "the identity provider's keys cannot be read right now",
    "try again soon; the jwt.jwks setting contains their URL",
    { headers: { "retry-after": "5" }, retryable: true },
  );
};

const wrong = (why: string): HttpRefusal =>
  new HttpRefusal(401, "wrong-token", `this token is not accepted: ${why}`, "sign in again to get a new one", {
    headers: { "www-authenticate": "Bearer" },
  });
