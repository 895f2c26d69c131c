import type { Json } from "../../events.ts";

/** Takes what nobody may see out of a text that leaves the loop. */
export type Redact = (text: string) => string;

/** The same for every text in a value. */
export const redactJson = (value: Json, redact: Redact): Json => {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [redact(key), redactJson(field, redact)]));
};

/** Secrets shorter than this would take ordinary words with them. */
const SHORTEST = 4;
const SHORTEST_VARIABLE = 8;
const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Knows the given secrets, and every variable of the environment that is named like one. */
export const redactor = (secrets: Iterable<string>): Redact => {
  const hidden = new Set<string>();
  const hide = (secret: string, shortest: number) => {
    if (secret.length < shortest) return;
    // As it may stand in a URL or in JSON.
    for (const spelled of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      hidden.add(spelled);
  };
  for (const secret of secrets) hide(secret, SHORTEST);
  for (const [name, value = ""] of Object.entries(process.env))
    if (SECRET_NAME.test(name)) hide(value, SHORTEST_VARIABLE);
  // The longest first: one may be the beginning of another.
  const longestFirst = [...hidden].toSorted((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
};
