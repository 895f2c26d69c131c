import type { Event } from "../../events.ts";
import type { Past } from "../../source.ts";
import { markedRun } from "./mark.ts";

/** A run there that another process followed, and what of it is in the log. */
export interface CatchUp {
  /** The run's id there; undefined if the log does not say it. */
  readonly upstream: string | undefined;
  /** What an event of the run there, told from its beginning, adds to the log; undefined if it is nothing. */
  missing(event: Event): Event | undefined;
}

/**
 * The log holds what the run there said, in its order and with its ids, up to some event or into the middle of a delta. What this
 * run said itself besides: ends of asks that were answered here, notices of its own, and ends of what did not stop there when it was
 * cancelled here.
 */
export const catchUpOf = async (run: string, past: Past): Promise<CatchUp> => {
  /** How many events of each kind are in the log, and how much of each text. */
  const events = new Map<string, number>();
  const texts = new Map<string, number>();
  /** What has ended here. Whatever has not ended there by then was cancelled. */
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
      // The first answer counts, wherever it was given: the runner leaves out the end of an ask that has one.
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
  };
};

const add = (counts: Map<string, number>, key: string, count: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + count);

/** How much of it there is, up to `wanted`, which is then gone. */
const take = (counts: Map<string, number>, key: string, wanted: number): number => {
  const known = counts.get(key) ?? 0;
  const taken = Math.min(known, wanted);
  if (taken === known) counts.delete(key);
  else counts.set(key, known - taken);
  return taken;
};

/** Events of one key are told one after the other. */
const keyOf = (event: Event): string => {
  const { step, part, call, ask, stream } = event as Partial<
    Record<"step" | "part" | "call" | "ask" | "stream", string>
  >;
  return JSON.stringify([event.type, event.agent, step, part, call, ask, stream]);
};

/** What the event is about, in which it has its place. */
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
