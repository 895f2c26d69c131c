import type { Entry, Event } from "../events.ts";

/** Reads the frames of one stream of the native dialect: their data is the event with `at`. Throws for data that is no object. */
export type EntryReader = (id: string, data: string) => Entry;

/**
 * Nearly every frame is a delta of what the frame before it was a delta of, and spelled as that was: then only its text and
 * time are cut out, which costs less than parsing the whole. Anything that looks different in any way is left to the parser.
 */
export const createEntryReader = (): EntryReader => {
  let known: Spelling | undefined;
  return (id, data) => {
    const seq = Number(id);
    const entry = known && sameBut(known, seq, data);
    if (entry) return entry;
    const read = whole(seq, data);
    if ("delta" in read.event) known = spellingOf(read.event);
    return read;
  };
};

const whole = (seq: number, data: string): Entry => {
  const parsed = JSON.parse(data) as Event & { at: number };
  if (typeof parsed !== "object" || parsed === null) throw new TypeError("the data is no object");
  const { at, ...event } = parsed;
  return { seq, at, event: event as Event };
};

/** A delta without its text, and how the data around that text is spelled. */
interface Spelling {
  readonly event: Event;
  readonly before: string;
  readonly after: string;
}

const DELTA = '"delta":"';

const spellingOf = (event: Event): Spelling | undefined => {
  // What is not a string could be an object, which entries must not share.
  if (Object.values(event).some((value) => typeof value !== "string")) return undefined;
  const text = JSON.stringify({ ...event, delta: "" });
  // In the text of another field the quotation marks would be escaped.
  const end = text.indexOf(`${DELTA}"`) + DELTA.length;
  return { event, before: text.slice(0, end), after: `${text.slice(end, -1)},"at":` };
};

const sameBut = ({ event, before, after }: Spelling, seq: number, data: string): Entry | undefined => {
  const start = before.length;
  // A slice that is compared: `startsWith` looks at one character at a time.
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

/** More digits than this are not certain to be a number that is exact. */
const MOST_DIGITS = 15;

/** The number between `start` and the closing brace, which must be the last character; -1 if there is anything else. */
const wholeNumber = (data: string, start: number): number => {
  const end = data.length - 1;
  if (end <= start || end - start > MOST_DIGITS || data.charCodeAt(end) !== 125) return -1;
  let value = 0;
  for (let index = start; index < end; index++) {
    const digit = data.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
};
