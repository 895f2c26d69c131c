import type { Event } from "../events.ts";
import type { Cleaner } from "./cleaner.ts";

/**
 * Fields that identify events and link them to each other. All other fields are cleaned, including fields of future versions.
 * `user` is the owner of the run.
 */
const STRUCTURE: ReadonlySet<string> = new Set(
  "type protocol run thread previous agent agentKey step part call ask parent replaces repeats owner after user model kind outcome finish level stream file mediaType request citation embed by awaiting allows expires schema usage ms bytes change origins range fraction attempt wait provider client cut redacted".split(
    " ",
  ),
);

const isStructure = (event: Event, key: string): boolean =>
  STRUCTURE.has(key) ||
  // The ids of answer parts, and the names of tools, agents and slots.
  (key === "answer" && event.type === "run-end") ||
  (key === "reason" && event.type === "run-resume") ||
  (key === "id" && event.type === "data") ||
  (key === "name" && event.type !== "file");

/** Drops `meta`: a provider's opaque value may contain anything, and only resuming needs it, which redacted runs cannot do. */
const parts = (event: Event): [string, unknown][] => Object.entries(event).filter(([key]) => key !== "meta");

export const cleanEvent = async (event: Event, cleaner: Cleaner): Promise<Event> => {
  const fields: [string, unknown][] = [];
  for (const [key, value] of parts(event))
    fields.push([key, isStructure(event, key) ? value : await inner(key, value, (some) => cleaner.json(some))]);
  return Object.fromEntries(fields) as Event;
};

export const cleanEventSync = (event: Event, cleaner: Cleaner): Event =>
  Object.fromEntries(
    parts(event).map(([key, value]) => [key, isStructure(event, key) ? value : own(key, value, cleaner)]),
  ) as Event;

const own = (key: string, value: unknown, cleaner: Cleaner): unknown =>
  key === "options" || key === "content" ? value : cleaner.jsonSync(value);

type Clean = (value: unknown) => Promise<unknown>;

const inner = async (key: string, value: unknown, clean: Clean): Promise<unknown> => {
  if ((key !== "content" && key !== "options") || !Array.isArray(value)) return await clean(value);
  const list: unknown[] = [];
  for (const item of value as readonly object[]) list.push(await cleanItem(item, clean));
  return list;
};

/** Fields that identify a part of a result or the meaning of an option. */
const FIXED: ReadonlySet<string> = new Set(["type", "file", "mediaType", "id", "allow", "bytes", "data"]);

const cleanItem = async (item: object, clean: Clean): Promise<object> => {
  const fields: [string, unknown][] = [];
  for (const [key, value] of Object.entries(item)) {
    const isOption = key === "value" && !("type" in item);
    fields.push([key, FIXED.has(key) || isOption ? value : await clean(value)]);
  }
  return Object.fromEntries(fields);
};
