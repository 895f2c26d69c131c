import type { Frame } from "../../dialect.ts";
import { type Entry, EVENT_TYPES, type Event, type EventOf } from "../../events.ts";
import { Refusal } from "../../source.ts";

/** A frame of an entry: `id: <seq>`, `event: <type>`, `data: {…the event, at}`. */
export const createEncoder = (): ((entry: Entry) => readonly Frame[]) => {
  const opening = createOpening();
  const clock = createClock();
  return ({ seq, at, event }) => {
    const opened = isDelta(event) ? opening(event) : undefined;
    const data =
      opened && isDelta(event)
        ? `${opened.data}${JSON.stringify(event.delta)},"at":${clock(at)}}`
        : JSON.stringify({ ...event, at });
    return [{ id: `${seq}`, event: event.type, data }];
  };
};

/** The same frames, as text. */
export const createTextEncoder = (): ((entry: Entry) => string) => {
  const opening = createOpening();
  const clock = createClock();
  return ({ seq, at, event }) => {
    const opened = isDelta(event) ? opening(event) : undefined;
    if (opened && isDelta(event))
      return `id: ${seq}${opened.lines}${JSON.stringify(event.delta)},"at":${clock(at)}}\n\n`;
    return `id: ${seq}\nevent: ${event.type}\ndata: ${JSON.stringify({ ...event, at })}\n\n`;
  };
};

/** Frames that are no events (heartbeats, snapshots) are skipped; one that should be an event and is none is an error. */
export const decodeFrame = ({ event, data }: Frame): readonly Event[] => {
  if (event === undefined || !types.has(event)) return [];
  const { at: _, ...rest } = parse(data) ?? { type: undefined };
  if (rest.type !== event) throw new Refusal("bad-frame", `a frame named ${event} does not hold such an event`);
  return [rest];
};

const parse = (data: string): (Event & { at?: number }) | null => {
  try {
    return JSON.parse(data) as Event & { at?: number };
  } catch {
    return null;
  }
};

const types: ReadonlySet<string> = new Set(EVENT_TYPES);

type Delta = EventOf<"text-delta" | "thinking-delta" | "tool-input-delta" | "tool-output-delta">;

const isDelta = (event: Event): event is Delta =>
  event.type === "text-delta" ||
  event.type === "thinking-delta" ||
  event.type === "tool-input-delta" ||
  event.type === "tool-output-delta";

/**
 * Most frames are deltas, and of a delta only its text is new: what stands before it is made once for all that follow one
 * another. Undefined for an event with keys besides the usual ones, which must not get lost.
 */
const createOpening = () => {
  let type = "";
  let id = "";
  let agent: string | undefined;
  let stream: string | undefined;
  let opened = { data: "", lines: "" };
  return (event: Delta): { readonly data: string; readonly lines: string } | undefined => {
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
    opened = { data, lines: `\nevent: ${type}\ndata: ${data}` };
    return opened;
  };
};

/** Whether the event has no keys but the `usual` ones and `agent`. */
const hasOnly = (event: Event, usual: number): boolean => {
  let keys = event.agent === undefined ? 0 : -1;
  for (const _ in event) keys++;
  return keys === usual;
};

/** Spells milliseconds since 1970: numbers of that size are slow to spell, and most entries share their second. */
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
