const SECRET_NAME = /key|token|secret|passw|credential|auth/i;
const SHORTEST = 8;
const HIDDEN = "[redacted]";

/** The values of the server's environment variables whose names look like secrets. */
export const ownSecrets = (given: Readonly<Record<string, string | undefined>> = process.env): readonly string[] =>
  Object.entries(given).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined && value.length >= SHORTEST ? [value] : [],
  );

export interface Hider {
  /** Returns the text that can be shown. Holds back text that may be the beginning of a secret. */
  push(text: string): string;
  end(): string;
}

/** Replaces secrets in streamed text. */
export const hideSecrets = (secrets: readonly string[]): Hider => {
  // Longest first, because one secret may contain another.
  const sorted = [...new Set(secrets)].toSorted((one, other) => other.length - one.length);
  let held = "";
  return {
    push(text) {
      if (sorted.length === 0) return text;
      let whole = held + text;
      for (const secret of sorted) whole = whole.replaceAll(secret, HIDDEN);
      const length = heldLength(whole, sorted);
      held = length === 0 ? "" : whole.slice(-length);
      return length === 0 ? whole : whole.slice(0, -length);
    },
    end() {
      const rest = held;
      held = "";
      return rest;
    },
  };
};

/** The length of the longest suffix that may be the beginning of a secret. */
const heldLength = (text: string, secrets: readonly string[]): number => {
  let longest = 0;
  for (const secret of secrets)
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length--)
      if (text.endsWith(secret.slice(0, length))) longest = length;
  return longest;
};
