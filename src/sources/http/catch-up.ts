import type { Event } from "../../events.ts";
import type { Past } from "../../source.ts";
import { markedRun } from "./mark.ts";
import type { RemoteItem } from "./steering.ts";

/** An upstream run that another process followed, and how much of it is in the log. */
export interface CatchUp {
  /** The id of the upstream run. Undefined if it is not in the log. */
  readonly upstream: string | undefined;
  /** What an event adds to the log when the upstream run is replayed from its beginning. Undefined if it adds nothing. */
  missing(event: Event): Event | undefined;
  /** The calls and sub-agents that ended here, but not yet in the replay. */
  endedHere(): readonly RemoteItem[];
}

/**
 * The log contains the upstream run's events, in order and with its ids, up to some event or into the middle of a
 * delta. It also contains events of this run: ends of asks that were answered here, its own notices, and ends of items
 * that were cancelled here but did not stop upstream.
 */
export const catchUpOf = async (run: string, past: Past): Promise<CatchUp> => {
  /** How many events of each kind are in the log, and how much of each text. */
  const events = new Map<string, number>();
  const texts = new Map<string, number>();
  /** Items that ended here. Those that have not ended upstream by then were cancelled. */
  const ended = new Set<string>();
  let upstream: string | undefined;
  let isDone = false;

  for await (const entries of past.entries())
    for (const { event } of entries) {
      const marked = markedRun(event, run);
      upstream ??= marked;
      if ("delta" in event) add(texts, keyOf(event), event.delta.length);
      else if (event.type !== "notice" || marked === undefined) add(events, keyOf(event), 1);
      const end = endedBy(event);
      if (end !== undefined) ended.add(end);
    }

  const rest = (event: Event): Event | undefined => {
    const key = keyOf(event);
    if (!("delta" in event)) return take(events, key, 1) === 1 ? undefined : event;
    const known = take(texts, key, event.delta.length);
    if (known === 0) return event;
    return known === event.delta.length ? undefined : { ...event, delta: event.delta.slice(known) };
  };

  return {
    upstream,
    missing(event) {
      if (event.type === "run-start") return undefined;
      if (isDone) return event;
      // The first answer counts, no matter where it was given. The runner drops a second end of an ask.
      if (event.type === "ask-end") return ended.delete(`ask ${event.ask}`) ? undefined : event;
      const left = rest(event);
      const isCancelled = within(event).some((one) => ended.has(one));
      const started = startedBy(event);
      if (left && isCancelled && started !== undefined) ended.add(started);
      const end = endedBy(event);
      if (end !== undefined) ended.delete(end);
      isDone = events.size + texts.size + ended.size === 0;
      return isCancelled ? undefined : left;
    },
    endedHere: () =>
      [...ended].flatMap((item) => {
        const [, kind, id] = /^(call|agent) (.*)$/s.exec(item) ?? [];
        return id === undefined ? [] : [{ kind: kind as RemoteItem["kind"], id }];
      }),
  };
};

const add = (counts: Map<string, number>, key: string, count: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + count);

/** Takes up to `wanted` from the count. Returns how much was taken. */
const take = (counts: Map<string, number>, key: string, wanted: number): number => {
  const known = counts.get(key) ?? 0;
  const taken = Math.min(known, wanted);
  if (taken === known) counts.delete(key);
  else counts.set(key, known - taken);
  return taken;
};

/** Events with the same key are sequential. */
const keyOf = (event: Event): string => {
  const { step, part, call, ask, stream } = event as Partial<
    Record<"step" | "part" | "call" | "ask" | "stream", string>
  >;
  return JSON.stringify([event.type, event.agent, step, part, call, ask, stream]);
};

/** The items that contain the event. */
const within = (event: Event): string[] => {
  const { agent, parent, call, part } = event as Partial<Record<"agent" | "parent" | "call" | "part", string>>;
  const owner = event.type === "agent-start" ? parent : agent;
  return [
    ...(owner === undefined ? [] : [`agent ${owner}`]),
    ...(call === undefined ? [] : [`call ${call}`]),
    ...(part === undefined ? [] : [`part ${part}`]),
  ];
};

const startedBy = (event: Event): string | undefined => {
  if (event.type === "agent-start") return `agent ${event.agent}`;
  if (event.type === "ask-start") return `ask ${event.ask}`;
  return event.type === "text-start" ? `part ${event.part}` : undefined;
};

const endedBy = (event: Event): string | undefined => {
  switch (event.type) {
    case "agent-end":
      return `agent ${event.agent}`;
    case "tool-end":
      return `call ${event.call}`;
    case "text-end":
    case "thinking-end":
      return `part ${event.part}`;
    default:
      return undefined;
  }
};
