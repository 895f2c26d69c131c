import type { Fields } from "../../json.ts";
import type { Frame } from "../../dialect.ts";
import type { Event, EventOf, Json } from "../../events.ts";
import { frame, tagOf } from "./frames.ts";

/** The name of custom events that carry what the protocol cannot express. */
export const EXTENSION = "runcast";
const PATCH = ":patch";
/** Escapes names of data that would otherwise be taken for ours. */
const ESCAPED = "data:";

/** The root agent's `state` becomes the client's shared state. All other data become custom events with their names. */
export const dataFrames = (event: EventOf<"data">): readonly Frame[] => {
  const { name, id, value, patch, call, agent } = event;
  if (name === "state" && agent === undefined && id === undefined && call === undefined) {
    if (value !== undefined) return [frame("STATE_SNAPSHOT", { snapshot: value })];
    if (isPatch(patch)) return [frame("STATE_DELTA", { delta: patch })];
  }
  const safe = name.startsWith(EXTENSION) || name.startsWith(ESCAPED) ? ESCAPED + name : name;
  const fields =
    value === undefined && patch !== undefined
      ? { name: safe + PATCH, value: patch }
      : { name: safe, value: value ?? null };
  return [frame("CUSTOM", { ...fields, ...tagOf(agent) })];
};

/** The inverse. Undefined for an event without data. */
export const dataOf = (type: string, fields: Fields): Event | undefined => {
  const { snapshot, delta, name, value } = fields;
  if (type === "STATE_SNAPSHOT")
    return snapshot === undefined ? undefined : { type: "data", name: "state", value: snapshot as Json };
  if (type === "STATE_DELTA") return isPatch(delta) ? { type: "data", name: "state", patch: delta as Json } : undefined;
  if (typeof name !== "string" || name === "") return undefined;
  const bare = name.startsWith(ESCAPED) && name.length > ESCAPED.length ? name.slice(ESCAPED.length) : name;
  if (bare.endsWith(PATCH) && bare.length > PATCH.length && isPatch(value))
    return { type: "data", name: bare.slice(0, -PATCH.length), patch: value as Json };
  return { type: "data", name: bare, value: (value ?? null) as Json };
};

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const NEEDS: Readonly<Record<string, "value" | "from" | undefined>> = {
  add: "value",
  replace: "value",
  test: "value",
  move: "from",
  copy: "from",
  remove: undefined,
};

/** Clients reject a stream with patches that violate RFC 6902. */
const isPatch = (patch: unknown): boolean =>
  Array.isArray(patch) &&
  patch.every((operation: unknown) => {
    if (typeof operation !== "object" || operation === null) return false;
    const { op, path, from } = operation as Record<string, unknown>;
    if (typeof op !== "string" || !Object.hasOwn(NEEDS, op)) return false;
    const needs = NEEDS[op];
    if (needs !== undefined && !(needs in operation)) return false;
    return isPointer(path) && (needs !== "from" || isPointer(from));
  });

const isPointer = (value: unknown): boolean => typeof value === "string" && POINTER.test(value);
