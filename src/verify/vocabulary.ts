import { EVENT_TYPES, eventSchema } from "../events.ts";

/** Returns why a value is not a valid event, or undefined if it is one. */
export const eventProblem = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null) return `${nameOf(value)} is not an event`;
  const { type } = value as { type?: unknown };
  if (isPlainDelta(value)) return undefined;
  if (typeof type !== "string") return "an object without a type is not an event";
  if (!types.has(type)) return `there is no event type ${JSON.stringify(type)}`;
  const issue = eventSchema.safeParse(value).error?.issues[0];
  return issue && `${[type, issue.path.join(".")].filter(Boolean).join(" ")}: ${issue.message}`;
};

const types: ReadonlySet<string> = new Set(EVENT_TYPES);

/** A fast path without the schema, because most events are deltas. */
const isPlainDelta = (value: object): boolean => {
  const { type, part, call, delta, agent, meta } = value as Record<string, unknown>;
  if (typeof delta !== "string" || meta !== undefined || (agent !== undefined && !isId(agent))) return false;
  if (type === "text-delta" || type === "thinking-delta") return isId(part);
  return type === "tool-input-delta" && isId(call);
};

const LONGEST_ID = 256;
const isId = (value: unknown): boolean => typeof value === "string" && value !== "" && value.length <= LONGEST_ID;

const nameOf = (value: unknown): string =>
  value === null ? "null" : value === undefined ? "undefined" : `a ${typeof value}`;
