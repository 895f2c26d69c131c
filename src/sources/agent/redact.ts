import type { Json } from "../../events.ts";

/** Removes secrets from a text that leaves the loop. */
export type Redact = (text: string) => string;

/** Redacts every string in a value. */
export const redactJson = (value: Json, redact: Redact): Json => {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [redact(key), redactJson(field, redact)]));
};

/** Shorter secrets would also match ordinary words. */
const SHORTEST = 4;
const SHORTEST_VARIABLE = 8;
const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Hides the given secrets and every environment variable whose name looks like one. */
export const redactor = (secrets: Iterable<string>): Redact => {
  const hidden = new Set<string>();
  const hide = (secret: string, shortest: number) => {
    if (secret.length < shortest) return;
    // Also hide the forms that appear in a URL or in JSON.
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) hidden.add(form);
  };
  for (const secret of secrets) hide(secret, SHORTEST);
  for (const [name, value = ""] of Object.entries(process.env))
    if (SECRET_NAME.test(name)) hide(value, SHORTEST_VARIABLE);
  // The longest first, because one secret may be a prefix of another.
  const longestFirst = [...hidden].toSorted((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
};
