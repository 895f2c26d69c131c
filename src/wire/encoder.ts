import type { Frame } from "../dialect.ts";
import type { Entry, Event, EventOf } from "../events.ts";
import { plainFrameHead, plainFrameText } from "../sse.ts";

/** Encodes an entry as a frame: `id: <seq>`, `event: <type>`, `data: {…the event, at}`. */
export const createEncoder = (): ((entry: Entry) => readonly Frame[]) => {
  const opening = createOpening();
  const clock = createClock();
  return ({ seq, at, event }) => {
    const opened = isDelta(event) ? opening(event) : undefined;
    const data = opened && isDelta(event) ? opened.data + ending(event, clock(at)) : JSON.stringify({ ...event, at });
    return [{ id: `${seq}`, event: event.type, data }];
  };
};

/** The same frames, as text. */
export const createTextEncoder = (): ((entry: Entry) => string) => {
  const opening = createOpening();
  const clock = createClock();
  return ({ seq, at, event }) => {
    const opened = isDelta(event) ? opening(event) : undefined;
    if (opened && isDelta(event)) return plainFrameText(seq, opened.head, ending(event, clock(at)));
    return plainFrameText(seq, plainFrameHead(event.type), JSON.stringify({ ...event, at }));
  };
};

const ending = ({ delta }: Delta, at: string): string => `${JSON.stringify(delta)},"at":${at}}`;

type Delta = EventOf<"text-delta" | "thinking-delta" | "tool-input-delta" | "tool-output-delta">;

const isDelta = (event: Event): event is Delta =>
  event.type === "text-delta" ||
  event.type === "thinking-delta" ||
  event.type === "tool-input-delta" ||
  event.type === "tool-output-delta";

/**
 * Most frames are deltas that differ only in their text, so the JSON before the text is built once for consecutive
 * deltas. Undefined for events with additional keys, which must be encoded in full.
 */
const createOpening = () => {
  let type = "";
  let id = "";
  let agent: string | undefined;
  let stream: string | undefined;
  let opened = { data: "", head: "" };
  return (event: Delta): { readonly data: string; readonly head: string } | undefined => {
    const eventId = "part" in event ? event.part : event.call;
    const eventStream = event.type === "tool-output-delta" ? event.stream : undefined;
    if (!hasOnly(event, eventStream === undefined ? 3 : 4)) return undefined;
    if (type === event.type && id === eventId && agent === event.agent && stream === eventStream) return opened;
    type = event.type;
    id = eventId;
    agent = event.agent;
    stream = eventStream;
    const named = "part" in event ? { part: id } : { call: id };
    const whole = JSON.stringify({ type, agent, ...named, stream });
    const data = `${whole.slice(0, -1)},"delta":`;
    opened = { data, head: plainFrameHead(type) + data };
    return opened;
  };
};

/** Whether the event has only the `usual` number of keys, plus `agent`. */
const hasOnly = (event: Event, usual: number): boolean => {
  let keys = event.agent === undefined ? 0 : -1;
  for (const _ in event) keys++;
  return keys === usual;
};

/** Formats milliseconds since 1970. Formatting large numbers is slow, and most entries share their second, so its text is cached. */
const createClock = () => {
  let second = -1;
  let text = "";
  return (at: number): string => {
    const rest = at % 1000;
    const whole = (at - rest) / 1000;
    if (whole <= 0 || !Number.isInteger(at)) return `${at}`;
    if (whole !== second) {
      second = whole;
      text = `${whole}`;
    }
    return text + MILLISECONDS[rest];
  };
};

const MILLISECONDS: readonly string[] = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(3, "0"));
