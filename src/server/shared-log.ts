import type { Entry } from "../events.ts";
import type { Log } from "../log.ts";
import { isPromise } from "./channel.ts";

/**
 * The log as a share link shows it: without the request (system prompt, earlier messages) and the users who started,
 * answered or stopped the run.
 */
export const sharedLog = (log: Log): Log => ({
  ...log,
  read: (run, after, limit) => {
    const entries = log.read(run, after, limit);
    return isPromise(entries) ? entries.then(shared) : shared(entries);
  },
  get: async (run, file, range) => {
    const [first] = await log.read(run, 0, 1);
    const isRequest = first?.event.type === "run-start" && first.event.request?.file === file;
    return isRequest ? undefined : await log.get(run, file, range);
  },
});

const shared = (entries: readonly Entry[]): readonly Entry[] =>
  entries.some(({ event }) => WITH_PRIVATE_FIELDS.has(event.type)) ? entries.map(sharedEntry) : entries;

const WITH_PRIVATE_FIELDS: ReadonlySet<string> = new Set(["run-start", "ask-end", "run-end"]);

const sharedEntry = (entry: Entry): Entry => {
  const { event } = entry;
  if (event.type === "run-start") {
    const { request: _, user: __, ...rest } = event;
    return { ...entry, event: rest };
  }
  if (event.type === "ask-end") {
    const { by: _, ...rest } = event;
    return { ...entry, event: rest };
  }
  if (event.type === "run-end" && event.error?.code === "cancelled")
    return { ...entry, event: { ...event, error: { ...event.error, message: "The run was stopped." } } };
  return entry;
};
