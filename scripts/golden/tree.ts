import type { Entry, Event, EventOf, EventType } from "../../src/events.ts";

/** A log as an indented list, nested and in order. Consecutive deltas are counted. */
export const tree = (entries: readonly Entry[]): string => {
  const depths = new Map<string | undefined, number>([[undefined, 1]]);
  const lines: { text: string; delta: string | undefined; count: number; of: Set<string> }[] = [];
  for (const { event } of entries) {
    const depth = depthOf(event, depths);
    const delta = event.type.endsWith("-delta") ? event.type : undefined;
    const subject = "part" in event ? event.part : "call" in event ? event.call : undefined;
    // Consecutive deltas become one line per type, even if several parts or calls interleave.
    const run = lines.slice(lines.findLastIndex((line) => line.delta === undefined) + 1);
    const earlier = delta && run.find((line) => line.delta === delta);
    if (earlier) {
      earlier.count++;
      earlier.of.add(subject!);
    } else lines.push({ text: `${"  ".repeat(depth)}${event.type}${details(event)}`, delta, count: 1, of: new Set([subject!]) });
  }
  return lines
    .map(({ text, count, of }) => `${text}${count > 1 ? ` ×${count}` : ""}${of.size > 1 ? ` (${of.size} interleaved)` : ""}\n`)
    .join("");
};

const depthOf = (event: Event, depths: Map<string | undefined, number>): number => {
  if (event.type === "run-start" || event.type === "run-resume" || event.type === "run-end") return 0;
  if (event.type === "agent-start") {
    const depth = (depths.get(event.call) ?? depths.get(event.parent) ?? 1) + 1;
    depths.set(event.agent, depth + 1);
    return depth;
  }
  const agent = depths.get(event.agent) ?? 1;
  if (event.type === "agent-end") return agent - 1;
  if (event.type.startsWith("step-")) return agent;
  if (event.type === "tool-start") depths.set(event.call, agent + 1);
  if ("call" in event && event.call !== undefined && !event.type.startsWith("tool-")) return agent + 2;
  if (event.type === "tool-progress" || event.type === "tool-output-delta") return agent + 2;
  return agent + 1;
};

const details = (event: Event): string =>
  (DETAILS[event.type] as (event: Event) => readonly (string | false | undefined)[])(event)
    .filter(Boolean)
    .map((word) => ` ${word}`)
    .join("");

const nothing = () => [];

const DETAILS: { readonly [Type in EventType]: (event: EventOf<Type>) => readonly (string | false | undefined)[] } = {
  "run-start": ({ name }) => [name],
  "run-resume": ({ owner, reason, after }) => [`by ${owner}`, `(${reason})`, `after ${after}`],
  "run-end": ({ outcome }) => [outcome],
  "agent-start": ({ name }) => [name],
  "agent-end": ({ outcome }) => [outcome],
  "step-start": nothing,
  "step-retry": ({ attempt }) => [`attempt ${attempt}`],
  "step-end": ({ finish }) => [finish],
  "text-start": nothing,
  "text-delta": nothing,
  "text-end": ({ cut }) => [cut && "(cut)"],
  "thinking-start": nothing,
  "thinking-delta": nothing,
  "thinking-end": ({ cut }) => [cut && "(cut)"],
  "tool-start": ({ call, name, provider, repeats }) => [
    call,
    name,
    provider && "(run by the provider)",
    repeats && `(repeats ${repeats})`,
  ],
  "tool-input-delta": nothing,
  "tool-input-end": ({ call }) => [call],
  "tool-execute": ({ call, input }) => [call, input !== undefined && "(edited)"],
  "tool-progress": ({ call }) => [call],
  "tool-output-delta": nothing,
  "tool-end": ({ call, outcome }) => [call, outcome],
  "ask-start": ({ kind, options }) => [kind, options && `(${options.length} options)`],
  "ask-end": ({ outcome, answer }) => [outcome, answer?.option],
  status: nothing,
  citation: ({ title }) => [title],
  file: nothing,
  embed: nothing,
  notice: nothing,
  data: ({ name }) => [name],
};
