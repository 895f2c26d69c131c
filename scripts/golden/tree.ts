import type { Entry, Event } from "../../src/events.ts";

/** A log as an indented list: what lies within what, in the order it happened; deltas are counted. */
export const tree = (entries: readonly Entry[]): string => {
  const depths = new Map<string | undefined, number>([[undefined, 1]]);
  const lines: { text: string; delta: string | undefined; count: number; of: Set<string> }[] = [];
  for (const { event } of entries) {
    const depth = depthOf(event, depths);
    const delta = event.type.endsWith("-delta") ? event.type : undefined;
    const subject = "part" in event ? event.part : "call" in event ? event.call : undefined;
    // A run of deltas is one line for each kind, also where several parts or calls interleave.
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
  if (event.type === "run-start" || event.type === "run-end") return 0;
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

const details = (event: Event): string => {
  const words: (string | undefined)[] = [];
  switch (event.type) {
    case "run-start":
    case "agent-start":
      words.push(event.name);
      break;
    case "tool-start":
      words.push(event.call, event.name, event.provider ? "(run by the provider)" : undefined);
      break;
    case "tool-execute":
      words.push(event.call, event.input === undefined ? undefined : "(edited)");
      break;
    case "tool-end":
      words.push(event.call, event.outcome);
      break;
    case "ask-start":
      words.push(event.kind);
      break;
    case "step-end":
      words.push(event.finish);
      break;
    case "step-retry":
      words.push(`attempt ${event.attempt}`);
      break;
    case "ask-end":
    case "agent-end":
    case "run-end":
      words.push(event.outcome);
      break;
    case "tool-input-end":
    case "tool-progress":
      words.push(event.call);
      break;
    case "citation":
      words.push(event.title);
      break;
    case "data":
      words.push(event.name);
      break;
  }
  return words.filter(Boolean).map((word) => ` ${word}`).join("");
};
