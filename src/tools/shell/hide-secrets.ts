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

/** Replaces secrets in streamed text. Secrets may contain or overlap each other. */
export const hideSecrets = (secrets: readonly string[]): Hider => {
  const unique = [...new Set(secrets)];
  let held = "";
  /** How much of the held text belongs to a secret that was already replaced. */
  let hidden = 0;

  const take = (text: string, cut: number): string => {
    let shown = "";
    let at = hidden;
    for (const { start, end } of findSecrets(text, unique)) {
      if (start >= cut) break;
      if (start >= at) shown += text.slice(at, start) + HIDDEN;
      at = Math.max(at, end);
    }
    held = text.slice(cut);
    hidden = Math.max(0, at - cut);
    return shown + text.slice(at, cut);
  };

  return {
    push(text) {
      const whole = held + text;
      return take(whole, whole.length - heldLength(whole, unique));
    },
    end: () => take(held, held.length),
  };
};

/** Where the text contains secrets, in order. */
const findSecrets = (text: string, secrets: readonly string[]) => {
  const found: { readonly start: number; readonly end: number }[] = [];
  for (const secret of secrets)
    for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + 1))
      found.push({ start, end: start + secret.length });
  return found.toSorted((one, other) => one.start - other.start);
};

/** The length of the longest suffix that may be the beginning of a secret. */
const heldLength = (text: string, secrets: readonly string[]): number => {
  let longest = 0;
  for (const secret of secrets)
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length--)
      if (text.endsWith(secret.slice(0, length))) longest = length;
  return longest;
};
