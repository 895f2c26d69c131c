import type { Frame } from "../../dialect.ts";
import type { Entry, Event, EventOf, EventType } from "../../events.ts";

type Encode = (entry: Entry) => readonly Frame[];
type Delta = EventOf<"text-delta" | "thinking-delta" | "tool-input-delta">;

/**
 * Wraps an encoder so that no string of an event contains half of a surrogate pair. JSON would escape it, and Open
 * WebUI 0.10.2 stores the escape and can never read the chat again. Two halves in consecutive deltas are joined. A lone
 * half becomes a replacement character.
 */
export const wholeCharacters = (encode: Encode): Encode => {
  /** First halves that wait for their second half, by part or call. */
  const held = new Map<string, Delta>();

  const joined = (event: Delta): Delta => {
    const id = idOf(event);
    const text = (held.get(id)?.delta ?? "") + event.delta;
    const complete = cut(text, text.length);
    if (complete === text) held.delete(id);
    else held.set(id, { ...event, delta: text.slice(complete.length) });
    return { ...event, delta: complete };
  };

  return (entry) => {
    const { event } = entry;
    if (held.size === 0 && isWhole(event)) return encode(entry);
    if (isDelta(event)) return encode({ ...entry, event: wholeEvent(joined(event)) });
    const half = ENDS.has(event.type) ? held.get(idOf(event)) : undefined;
    if (half) held.delete(idOf(half));
    return [...(half ? [half] : []), event].flatMap((one) => encode({ ...entry, event: wholeEvent(one) }));
  };
};

/** The same value without lone surrogates. */
export const whole = <Value>(value: Value): Value => (isWhole(value) ? value : (repaired(value) as Value));

/** The first code units of a text, without splitting a surrogate pair. */
export const cut = (text: string, most: number): string => {
  const last = text.charCodeAt(Math.min(most, text.length) - 1);
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? Math.min(most, text.length) - 1 : most);
};

const DELTAS: ReadonlySet<EventType> = new Set<Delta["type"]>(["text-delta", "thinking-delta", "tool-input-delta"]);
/** Events after which no second half can arrive. */
const ENDS: ReadonlySet<EventType> = new Set<EventType>([
  ...(["text-end", "thinking-end"] as const),
  ...(["tool-input-end", "tool-execute", "tool-end"] as const),
]);

const isDelta = (event: Event): event is Delta => DELTAS.has(event.type);

const idOf = (event: Event): string => {
  const { part, call } = event as { readonly part?: string; readonly call?: string };
  return part ?? call ?? "";
};

const isWhole = (value: unknown): boolean => {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  // Every token passes here, so avoid allocating a list of the fields.
  for (const key in value) if (!key.isWellFormed() || !isWhole((value as Record<string, unknown>)[key])) return false;
  return true;
};

const repaired = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(repaired);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), repaired(one)]));
};

const IDS: ReadonlySet<string> = new Set([
  ...["run", "agent", "parent", "step", "part", "replaces"],
  ...["call", "ask", "citation", "embed", "file"],
]);

/** Keeps different ids different: of two calls with the same id, one would be left open. */
const wholeEvent = (event: Event): Event => {
  if (isWhole(event)) return event;
  const fields = Object.entries(event as Record<string, unknown>);
  return Object.fromEntries(
    fields.map(([key, value]) => [key, IDS.has(key) ? wholeId(String(value)) : whole(value)]),
  ) as Event;
};

const wholeId = (id: string): string =>
  id.replaceAll(/\p{Surrogate}/gu, (half) => `~${half.charCodeAt(0).toString(16)}`);
