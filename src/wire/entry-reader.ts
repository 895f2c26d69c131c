import type { Entry, Event } from "../events.ts";

/** Reads the frames of one native stream. Their data is the event with `at`. Throws if the data is not an object. */
export type EntryReader = (id: string, data: string) => Entry;

/**
 * Most frames are deltas that continue the previous frame with the same JSON layout. For those, only the text and time
 * are extracted, which is cheaper than parsing. Any frame that differs goes to the parser.
 */
export const createEntryReader = (): EntryReader => {
  let known: KnownText | undefined;
  return (id, data) => {
    const seq = Number(id);
    const entry = known && sameBut(known, seq, data);
    if (entry) return entry;
    const read = whole(seq, data);
    if ("delta" in read.event) known = knownTextOf(read.event);
    return read;
  };
};

const whole = (seq: number, data: string): Entry => {
  const parsed = JSON.parse(data) as Event & { at: number };
  if (typeof parsed !== "object" || parsed === null) throw new TypeError("the data is not an object");
  const { at, ...event } = parsed;
  return { seq, at, event: event as Event };
};

/** A delta without its text, and the JSON around that text. */
interface KnownText {
  readonly event: Event;
  readonly before: string;
  readonly after: string;
}

const DELTA = '"delta":"';

const knownTextOf = (event: Event): KnownText | undefined => {
  // A non-string value could be an object, which entries must not share.
  if (Object.values(event).some((value) => typeof value !== "string")) return undefined;
  const text = JSON.stringify({ ...event, delta: "" });
  // Inside another field's text, the quotation marks would be escaped.
  const end = text.indexOf(`${DELTA}"`) + DELTA.length;
  return { event, before: text.slice(0, end), after: `${text.slice(end, -1)},"at":` };
};

const sameBut = ({ event, before, after }: KnownText, seq: number, data: string): Entry | undefined => {
  const start = before.length;
  // Compare a slice: `startsWith` compares one character at a time.
  if (data.slice(0, start) !== before) return undefined;
  const end = data.indexOf('"', start);
  const atStart = end + after.length;
  if (data.slice(end, atStart) !== after) return undefined;
  // With an escape, the quotation mark may be part of the text.
  const escape = data.indexOf("\\", start);
  const at = wholeNumber(data, atStart);
  if ((escape >= 0 && escape < end) || at < 0) return undefined;
  return { seq, at, event: { ...event, delta: data.slice(start, end) } as Event };
};

/** Longer numbers may not be exact. */
const MAX_DIGITS = 15;

/** The integer between `start` and the closing brace, which must be the last character. -1 for anything else. */
const wholeNumber = (data: string, start: number): number => {
  const end = data.length - 1;
  if (end <= start || end - start > MAX_DIGITS || data.charCodeAt(end) !== 125) return -1;
  let value = 0;
  for (let index = start; index < end; index++) {
    const digit = data.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
};
