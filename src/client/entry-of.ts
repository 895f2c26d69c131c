import type { Entry, Event } from "../events.ts";

/** The entry that a frame of the native dialect says: its data is the event with `at`. Throws for data that is no object. */
export const entryOf = (id: string, data: string): Entry => {
  const seq = Number(id);
  return plainDelta(seq, data) ?? whole(seq, data);
};

const whole = (seq: number, data: string): Entry => {
  const said = JSON.parse(data) as Event & { at: number };
  if (typeof said !== "object" || said === null) throw new TypeError("the data is no object");
  const { at, ...event } = said;
  return { seq, at, event: event as Event };
};

const TEXT = '{"type":"text-delta","part":"';
const THINKING = '{"type":"thinking-delta","part":"';

/**
 * Nearly every frame is a delta, spelled as the server spells all of them: its pieces are cut out, which costs less than
 * parsing the whole. Anything that looks different in any way is left to the parser.
 */
const plainDelta = (seq: number, data: string): Entry | undefined => {
  const isText = data.startsWith(TEXT);
  if (!isText && !data.startsWith(THINKING)) return undefined;
  const partStart = isText ? TEXT.length : THINKING.length;
  const partEnd = data.indexOf('"', partStart);
  if (!data.startsWith('","delta":"', partEnd)) return undefined;
  const deltaStart = partEnd + 11;
  const deltaEnd = data.indexOf('"', deltaStart);
  if (!data.startsWith('","at":', deltaEnd)) return undefined;
  // With an escape, a quotation mark may be part of the text: then nothing above is certain.
  const escape = data.indexOf("\\");
  const at = wholeNumber(data, deltaEnd + 7);
  if (escape >= 0 || at < 0) return undefined;
  const part = data.slice(partStart, partEnd);
  const delta = data.slice(deltaStart, deltaEnd);
  return { seq, at, event: { type: isText ? "text-delta" : "thinking-delta", part, delta } };
};

/** The number between `start` and the closing brace, which must be the last character; -1 if there is anything else. */
const wholeNumber = (data: string, start: number): number => {
  const end = data.length - 1;
  if (end <= start || data.charCodeAt(end) !== 125) return -1;
  let value = 0;
  for (let index = start; index < end; index++) {
    const digit = data.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
};
