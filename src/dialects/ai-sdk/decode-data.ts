import { type Fields, fieldsOf } from "../../json.ts";
import { type Event, type EventOf, eventSchema, type EventType } from "../../events.ts";
import { slotName } from "./chunk.ts";
import type { Transcript } from "./transcript.ts";

/** Reads a data part: as one of ours if its name and shape match, otherwise as data of the agent. */
export const readData = (type: string, { id, data }: Fields, transcript: Transcript): Event[] => {
  const name = slotName(type);
  if (name !== undefined) return ofAgent(name, id, data);
  const fields = fieldsOf(data);
  const known = ownParts[type.slice("data-".length)]?.(fields, typeof id === "string" ? id : "", transcript);
  return known ?? ofAgent(type.slice("data-".length), id, data);
};

const ofAgent = (name: string, id: unknown, value: unknown): Event[] => {
  if (name === "" || value === undefined) return [];
  const own = typeof id === "string" && id !== name ? id : undefined;
  return valid("data", { name, value, ...(own !== undefined && { id: own }) }) ?? [];
};

/** The event, or undefined if the fields are invalid. */
const valid = <Type extends EventType>(type: Type, fields: Fields): [EventOf<Type>] | undefined => {
  const read = eventSchema.safeParse({ type, ...fields });
  return read.success ? [read.data as EventOf<Type>] : undefined;
};

type Reader = (fields: Fields, id: string, transcript: Transcript) => Event[] | undefined;

const OUTCOMES = ["done", "error", "cancelled", "interrupted"];

const ownParts: Readonly<Record<string, Reader>> = {
  agent: ({ name, task, parent, call, state, error }, agent, transcript) => {
    if (typeof state !== "string") return undefined;
    if (OUTCOMES.includes(state)) {
      const problem = typeof error === "string" ? { error: { code: "agent-failed", message: error } } : {};
      return valid("agent-end", { agent, outcome: state, ...problem })?.flatMap(transcript.endAgent);
    }
    return valid("agent-start", { agent, name, ...given({ task, parent, call }) })?.flatMap(transcript.startAgent);
  },
  ask: ({ url: _, outcome, answer, ...asked }, ask, transcript) => {
    if (outcome !== undefined)
      return valid("ask-end", { ask, outcome, ...given({ answer }) })?.flatMap(transcript.endAsk);
    return valid("ask-start", { ...asked, ask })?.flatMap(transcript.ask);
  },
  progress: ({ note, fraction, value }, call, transcript) => {
    const progress = valid("tool-progress", { call, ...given({ note, fraction, value }) });
    return progress && transcript.knows(call) ? whileExecuting(call, progress, transcript) : progress && [];
  },
  output: ({ call, stream, delta, text }, _, transcript) => {
    if (typeof text === "string") return [];
    const output = valid("tool-output-delta", { call, stream, delta });
    return typeof call === "string" && transcript.knows(call) && output
      ? whileExecuting(call, output, transcript)
      : output && [];
  },
  status: ({ text, call }, _, transcript) => valid("status", { text, ...ofKnown(call, transcript) }),
  notice: ({ level, text, call }, _, transcript) => valid("notice", { level, text, ...ofKnown(call, transcript) }),
  embed: ({ html, url, title }, embed) => valid("embed", { embed, ...given({ html, url, title }) }),
  file: ({ name, change, call }, _, transcript) =>
    valid("file", { name, ...given({ change }), ...ofKnown(call, transcript) }),
  end: ({ outcome }) => (typeof outcome === "string" ? [] : undefined),
  // An extension of this dialect, sent to a reader that did not request it.
  runcast: () => [],
};

const whileExecuting = (call: string, events: Event[], transcript: Transcript): Event[] => {
  const before = transcript.execute(call);
  return transcript.isExecuting(call) ? [...before, ...events] : before;
};

const ofKnown = (call: unknown, transcript: Transcript): Fields =>
  typeof call === "string" && transcript.knows(call) ? { call } : {};

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
