import { KnownTexts } from "./known-texts.ts";

/** The position of a secret in a text, and the rule that found it. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

interface Rule {
  readonly name: string;
  /**
   * The secret is the group `secret`, or the whole match. No text can make it slow: a match cannot start inside
   * what an earlier attempt has scanned.
   */
  readonly pattern: RegExp;
}

const FIELD = String.raw`(?:[A-Za-z0-9]{0,40}[-_.])?(?:pass(?:word|wd|phrase)|secret|(?:access|refresh|auth|id|session|api|bearer)?[-_]?token|api[-_]?key|(?:private|secret|access)[-_]?key|credentials?)`;

const RULES: readonly Rule[] = [
  {
    name: "private key",
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?!-----)[\s\S]){1,20000}-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  },
  {
    name: "authorization header",
    pattern:
      /\b(?:proxy-)?authorization\b["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>(?:(?:bearer|basic|token|digest)\s{1,3})?[^\s"'\\,;]{4,4000})/gi,
  },
  { name: "cookie", pattern: /\b(?:set-)?cookie\b["']?\s{0,3}:\s{0,3}["']?(?<secret>[^\r\n"']{4,4000})/gi },
  { name: "bearer token", pattern: /\bbearer\s{1,3}(?<secret>[A-Za-z0-9._~+/=-]{8,4000})/gi },
  {
    name: "signed token",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}/g,
  },
  {
    name: "API key",
    pattern:
      /\b(?:sk|pk|rk|xai|gsk)[-_][A-Za-z0-9_-]{16,300}|\b(?:gh[opsur]_|github_pat_|glpat-|hf_|npm_|rct_|xox[abeoprs]-|AIza|ya29\.)[A-Za-z0-9._-]{16,300}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  },
  {
    name: "password in an address",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,100}:(?<secret>[^\s/@"']{1,300})@/gi,
  },
  {
    name: "secret in an address",
    pattern:
      /[?&](?:[a-z]{0,20}[-_])?(?:token|key|secret|password|passwd|signature|sig|code)=(?<secret>[^&\s"'#<>]{4,4000})/gi,
  },
  {
    name: "field",
    pattern: new RegExp(
      String.raw`(?<![A-Za-z0-9])${FIELD}["']?\s{0,3}[:=]\s{0,3}(?:"(?<secret>(?:[^"\\\r\n]|\\.){1,4000})"|'(?<single>[^'\r\n]{1,4000})'|(?<bare>[^\s"',;&{}[\]<>]{4,4000}))`,
      "gi",
    ),
  },
];

/** Fields whose values are secrets: `password`, `apiKey`, `access_token`, but not `max_tokens`. */
const WHOLE_FIELD = new RegExp(`^${FIELD}$|^(?:proxy[-_])?authorization$|^(?:set[-_])?cookie$`, "i");

export const isSecretField = (name: string): boolean =>
  WHOLE_FIELD.test(name.replace(/([a-z0-9])([A-Z])/g, "$1_$2")) || WHOLE_FIELD.test(name);

/** Secrets found by field name are searched for everywhere, even where no rule matches. Shorter ones would match ordinary words. */
const SHORTEST_KNOWN = 8;
/** The maximum total characters of known secrets: about a hundred megabytes of memory. */
const MOST_KNOWN = 2_000_000;

export interface SecretFinder {
  /** Secrets in order, without overlaps. */
  find(text: string): Secret[];
  /** Adds a secret that was found by its field name. Throws if there are too many to search for. */
  learn(secret: string): void;
}

export class TooManySecrets extends Error {
  override readonly name = "TooManySecrets";
}

/** `more`: texts and patterns in addition to the built-in rules. */
export const createSecretFinder = (more: readonly (string | RegExp)[]): SecretFinder => {
  const known = new KnownTexts();
  const own: Rule[] = more.map((given) => ({ name: "configured", pattern: globalPattern(given) }));
  return {
    learn: (secret) => {
      if (secret.length >= SHORTEST_KNOWN) known.add(secret);
      if (known.size > MOST_KNOWN) throw new TooManySecrets("the run contains too many secrets to search for");
    },
    find: (text) => {
      const found: Secret[] = [];
      for (const { name, pattern } of [...own, ...RULES])
        for (const match of text.matchAll(pattern)) {
          const secret = match.groups?.["secret"] ?? match.groups?.["single"] ?? match.groups?.["bare"] ?? match[0];
          if (secret === "" || secret === REDACTED) continue;
          const start = match.index + match[0].lastIndexOf(secret);
          found.push({ start, end: start + secret.length, rule: name });
        }
      for (const place of known.find(text)) found.push({ ...place, rule: "seen elsewhere" });
      return merged(found);
    },
  };
};

export const REDACTED = "[redacted]";

const globalPattern = (given: string | RegExp): RegExp =>
  typeof given === "string"
    ? new RegExp(given.replace(/[$()*+.?[\\\]^{|}-]/g, String.raw`\$&`), "g")
    : new RegExp(given.source, given.flags.includes("g") ? given.flags : `${given.flags}g`);

const merged = (found: readonly Secret[]): Secret[] => {
  const kept: Secret[] = [];
  for (const secret of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = kept.at(-1);
    if (!last || secret.start >= last.end) kept.push(secret);
    else if (secret.end > last.end) kept[kept.length - 1] = { ...last, end: secret.end };
  }
  return kept;
};
