import { findKeys, REDACTED } from "../redaction.ts";
import { KnownTexts } from "./known-texts.ts";

/** The position of a secret in a text, and the rule that found it. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** Secrets found by field name are searched for everywhere, even where no rule matches. Shorter ones would match ordinary words. */
const SHORTEST_KNOWN = 8;
/** The maximum total characters of known secrets: about a hundred megabytes of memory. */
const MAX_KNOWN = 2_000_000;

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
  const own = more.map(globalPattern);
  return {
    learn: (secret) => {
      if (secret.length >= SHORTEST_KNOWN) known.add(secret);
      if (known.size > MAX_KNOWN) throw new TooManySecrets("the run contains too many secrets to search for");
    },
    find: (text) => {
      const found: Secret[] = [];
      for (const pattern of own)
        for (const match of text.matchAll(pattern)) {
          const secret = match.groups?.["secret"] ?? match[0];
          if (secret === "" || secret === REDACTED) continue;
          const start = match.index + match[0].lastIndexOf(secret);
          found.push({ start, end: start + secret.length, rule: "configured" });
        }
      for (const { start, end, kind } of findKeys(text)) found.push({ start, end, rule: kind });
      for (const place of known.find(text)) found.push({ ...place, rule: "seen elsewhere" });
      return merged(found);
    },
  };
};

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
