import type { Content, Event, EventOf, FileRef } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import { FILE_THRESHOLD, VALUE_FILE } from "../log.ts";

type Put = (bytes: Uint8Array, file: { mediaType: string; name?: string }) => Promise<FileRef>;

/** The longest delta in one event. Keeps frames small regardless of how much a source yields together. */
const LONGEST_DELTA = 32 * 1024;

/** Whether an event may be too large for the log. Must be cheap, because it runs for every event. */
export const isLarge = (event: Event): boolean => {
  switch (event.type) {
    case "text-delta":
    case "thinking-delta":
    case "tool-input-delta":
    case "tool-output-delta":
      return event.delta.length > LONGEST_DELTA;
    case "tool-end":
      return event.content !== undefined || event.value !== undefined;
    case "embed":
      return (event.html?.length ?? 0) * 3 > FILE_THRESHOLD;
    default:
      event satisfies EventsAbout;
      return false;
  }
};

/** Replaces a large event with small ones: splits long deltas and stores large results alongside the log. */
export const spill = async (event: Event, put: Put): Promise<Event[]> => {
  if ("delta" in event) return pieces(event.delta).map((delta) => ({ ...event, delta }));
  if (event.type === "tool-end") return [await spillResult(event, put)];
  if (event.type === "embed" && event.html !== undefined) {
    const { html, ...rest } = event;
    const { file } = await put(encode(html), { mediaType: "text/html" });
    return [{ ...rest, file }];
  }
  return [event];
};

const spillResult = async (event: EventOf<"tool-end">, put: Put): Promise<Event> => {
  const content = event.content && (await Promise.all(event.content.map((part) => spillContent(part, put))));
  if (event.value === undefined) return { ...event, ...(content && { content }) };
  const bytes = encode(JSON.stringify(event.value));
  if (bytes.length < FILE_THRESHOLD) return { ...event, ...(content && { content }) };
  const { value: _, ...rest } = event;
  const file = await put(bytes, { mediaType: "application/json", name: VALUE_FILE });
  return { ...rest, content: [...(content ?? []), { type: "file", ...file }] };
};

const spillContent = async (part: Content, put: Put): Promise<Content> => {
  if (part.type === "text") {
    if (part.text.length * 3 < FILE_THRESHOLD) return part;
    const bytes = encode(part.text);
    return bytes.length < FILE_THRESHOLD ? part : { type: "file", ...(await put(bytes, { mediaType: "text/plain" })) };
  }
  if (part.type !== "json") return part;
  const bytes = encode(JSON.stringify(part.value));
  return bytes.length < FILE_THRESHOLD
    ? part
    : { type: "file", ...(await put(bytes, { mediaType: "application/json" })) };
};

const encode = (text: string): Uint8Array => Buffer.from(text);

const pieces = (text: string): string[] => {
  const list: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + LONGEST_DELTA, text.length);
    // Do not split a surrogate pair: each half would be sent as a replacement character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    list.push(text.slice(start, end));
    start = end;
  }
  return list;
};
