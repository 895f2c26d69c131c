/** A rule for text that must not be stored. If the pattern has a group `secret`, only that is removed. */
export interface Rule {
  /** What it finds, for the user: `2 × email address`. */
  readonly name: string;
  /** A more specific name, for lists of what was removed. */
  readonly kind?: string;
  readonly pattern: RegExp;
  /** Rejects false matches. The pattern must not contain an unbounded repetition. */
  readonly accepts?: (text: string) => boolean;
}

const FIELD = String.raw`(?:[A-Za-z0-9]+[-_.])?(?:pass(?:word|wd|phrase)|secret|(?:access|refresh|auth|id|session|api|bearer)?[-_]?token|api[-_]?key|(?:private|secret|access)[-_]?key|credentials?)`;
const BASE64 = "[A-Za-z0-9+/=]";
const GAP = String.raw`(?:\s|\\n|\\r)*`;

const key = (kind: string, pattern: RegExp): Rule => ({ name: "key", kind, pattern });
/** `password: …`, with the value in this format. */
const field = (value: string): Rule =>
  key("field", new RegExp(String.raw`(?:^|[^A-Za-z0-9])${FIELD}\\?["']?\s{0,3}[:=]\s{0,3}${value}`, "i"));
const phone = (pattern: RegExp): Rule => ({ name: "phone number", pattern });

/** Each pattern matches within `LONGEST` characters, so it is never dropped. The match itself may then be longer. */
export const PRESETS = {
  keys: [
    key(
      "private key",
      new RegExp(
        `-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:${GAP}[A-Za-z-]+: [A-Za-z0-9,-]+)*(?:${GAP}${BASE64}{16,})*(?:${GAP}${BASE64}+${GAP}-----END)?`,
      ),
    ),
    key(
      "authorization header",
      /\b(?:proxy-)?authorization\b\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?<secret>(?:(?:bearer|basic|token|digest)\s{1,3})?[^\s"'\\,;]{4,})/i,
    ),
    key("cookie", /\b(?:set-)?cookie\b\\?["']?\s{0,3}:\s{0,3}\\?["']?(?<secret>[^\r\n"'\\]{4,})/i),
    key("bearer token", /\bbearer\s{1,3}(?<secret>[A-Za-z0-9._~+/=-]{8,})/i),
    key("signed token", /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/),
    key(
      "API key",
      /\b(?:sk|pk|rk|xai|gsk)[-_][A-Za-z0-9_-]{16,}|\b(?:gh[opsur]_|github_pat_|glpat-|hf_|npm_|rct_|xox[abeoprs]-|AIza|ya29\.)[A-Za-z0-9._-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
    ),
    key("password in an address", /\b[a-z][a-z0-9+.-]+:\/\/[^\s/:@"']*:(?<secret>[^\s/@"']+)@/i),
    key(
      "secret in an address",
      /[?&](?:[a-z]+[-_])?(?:token|key|secret|password|passwd|signature|sig|code)=(?<secret>[^&\s"'#<>]{4,})/i,
    ),
    field(String.raw`"(?<secret>(?:[^"\\\r\n]|\\.)+)`),
    field(String.raw`\\"(?<secret>[^"\\\r\n]+)`),
    field(String.raw`'(?<secret>[^'\r\n]+)`),
    field(String.raw`(?<secret>[^\s"',;&{}[\]<>\\]{4,})`),
  ],
  emails: [
    {
      name: "email address",
      pattern: /[\w.%+'\u00a1-\uffff-]+@[\w\u00a1-\uffff-]+(?:\.[\w\u00a1-\uffff-]+)+/,
    },
  ],
  phones: [
    phone(/\+\d(?:[ ()./-]{0,2}\d){7,14}\b/),
    phone(/\b00[1-9](?:[ ()./-]{0,2}\d){7,13}\b/),
    phone(/(?:\b|\()\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}\b/),
  ],
  cards: [{ name: "card number", pattern: /\b\d(?:[ -]?\d){13,18}\b/, accepts: (text: string) => hasCheckDigit(text) }],
} as const satisfies Readonly<Record<string, readonly Rule[]>>;

export type Preset = keyof typeof PRESETS;

/** The Luhn check, which most other numbers of that length fail. */
const hasCheckDigit = (text: string): boolean => {
  const digits = [...text.replace(/\D/g, "")].map(Number).toReversed();
  const sum = digits.reduce((total, digit, index) => {
    const value = index % 2 === 0 ? digit : digit * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0 && digits.some((digit) => digit !== 0);
};

const SECRET_FIELD = new RegExp(`^${FIELD}$|^(?:proxy[-_])?authorization$|^(?:set[-_])?cookie$`, "i");

/** Whether the field's value is a key: `password`, `apiKey`, `access_token`, but not `max_tokens`. */
export const isKeyField = (name: string): boolean =>
  SECRET_FIELD.test(name.replace(/([a-z0-9])([A-Z])/g, "$1_$2")) || SECRET_FIELD.test(name);
