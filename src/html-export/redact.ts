import type { Entry, Event } from "../events.ts";
import { isKeyField, REDACTED } from "../redaction.ts";
import { createSecretFinder, type SecretFinder } from "./secrets.ts";
import { parseJson } from "../json.ts";

export interface Redaction {
  readonly entries: readonly Entry[];
  /** How often each rule redacted something. */
  readonly counts: ReadonlyMap<string, number>;
  /** Redacts other text of the run, such as a file. */
  text(text: string): string;
}

/**
 * Redacts the entries. Streamed text is searched as a whole, so a secret is found even if it is split across deltas.
 * Every entry keeps its seq and time, so the run plays as recorded.
 */
export const redactEntries = (given: readonly Entry[], more: readonly (string | RegExp)[] = []): Redaction => {
  const finder = createSecretFinder(more);
  const counts = new Map<string, number>();
  // First collect the known secrets, because they may also occur in earlier entries.
  for (const { event } of given) learnFields(event, finder);
  const streams = joinedStreams(given);
  for (const { text } of streams.values()) learnFields(parsed(text), finder);

  const count = (rule: string): void => void counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const text = (value: string): string => {
    let clean = "";
    let at = 0;
    for (const { start, end, rule } of finder.find(value)) {
      clean += value.slice(at, start) + REDACTED;
      at = end;
      count(rule);
    }
    return clean + value.slice(at);
  };
  const walk = (value: unknown, key = ""): unknown => {
    if (typeof value === "string") {
      if (value === "" || !isKeyField(key)) return text(value);
      count("field");
      return REDACTED;
    }
    if (Array.isArray(value)) return value.map((item) => walk(item, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner, name)]));
  };

  const deltas = new Map<Entry, string>();
  for (const { text: whole, pieces } of streams.values()) {
    const secrets = finder.find(whole);
    for (const { rule } of secrets) count(rule);
    cutPieces(whole, pieces, secrets, deltas);
  }
  const entries = given.map((entry): Entry => {
    const { meta: _, ...event } = entry.event;
    const delta = deltas.get(entry);
    // `meta` is dropped: a provider's opaque value is only for that provider.
    const clean = delta === undefined ? (walk(event) as Event) : ({ ...event, delta } as Event);
    return { ...entry, event: "request" in clean ? withoutRequest(clean) : clean };
  });
  return { entries, counts, text };
};

/** Drops the reference to the stored request, which contains instructions that are not meant to be shared. */
const withoutRequest = (event: Event): Event => {
  const { request: _, ...rest } = event as Extract<Event, { type: "run-start" }>;
  return rest;
};

interface Stream {
  text: string;
  readonly pieces: { readonly entry: Entry; readonly start: number }[];
}

const joinedStreams = (entries: readonly Entry[]): Map<string, Stream> => {
  const streams = new Map<string, Stream>();
  for (const entry of entries) {
    const { event } = entry;
    if (!("delta" in event)) continue;
    const id = "part" in event ? event.part : event.call;
    const key = `${event.type} ${event.type === "tool-output-delta" ? event.stream : ""} ${id}`;
    let stream = streams.get(key);
    if (!stream) streams.set(key, (stream = { text: "", pieces: [] }));
    stream.pieces.push({ entry, start: stream.text.length });
    stream.text += event.delta;
  }
  return streams;
};

/** Removes the secrets from each delta. The delta in which a secret starts gets the placeholder. */
const cutPieces = (
  whole: string,
  pieces: Stream["pieces"],
  secrets: readonly { readonly start: number; readonly end: number }[],
  deltas: Map<Entry, string>,
): void => {
  let next = 0;
  for (const [index, { entry, start }] of pieces.entries()) {
    const end = pieces[index + 1]?.start ?? whole.length;
    while (next < secrets.length && secrets[next]!.end <= start) next++;
    let clean = "";
    let at = start;
    for (let other = next; other < secrets.length && secrets[other]!.start < end; other++) {
      const secret = secrets[other]!;
      clean += whole.slice(at, Math.max(at, secret.start));
      if (secret.start >= start) clean += REDACTED;
      at = Math.min(end, secret.end);
    }
    deltas.set(entry, clean + whole.slice(at, end));
  }
};

const learnFields = (value: unknown, finder: SecretFinder, key = ""): void => {
  if (typeof value === "string") {
    if (isKeyField(key)) finder.learn(value);
  } else if (Array.isArray(value)) for (const item of value) learnFields(item, finder, key);
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) learnFields(inner, finder, name);
};

const parsed = (text: string): unknown => (/^\s*[{[]/.test(text) ? parseJson(text) : undefined);
