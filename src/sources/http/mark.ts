import { fieldsOf } from "../../json.ts";
import type { Event, EventOf, Json } from "../../events.ts";
import { textOf } from "../upstream/reading.ts";

/** The `meta` that names the upstream run. It holds both ids, because a Runcast server upstream may itself follow another run. */
export const markOf = (run: string, upstream: string): { meta: Json } => ({
  meta: { upstream: { run, id: upstream } },
});

/** The upstream run, if this event carries the mark of this run. */
export const markedRun = ({ meta }: Event, run: string): string | undefined => {
  const upstream = fieldsOf(fieldsOf(meta)["upstream"]);
  return upstream["run"] === run ? textOf(upstream["id"]) : undefined;
};

/** Marks run-start and the first event after it that can carry the mark, because run-start may be stored before the server responds. */
export const createMarking = (run: string): ((event: Event, upstream: string | undefined) => Event) => {
  let isDone = false;
  return (event, upstream) => {
    if (event.type === "run-start") return startOf(event, upstream === undefined ? undefined : markOf(run, upstream));
    if (isDone || upstream === undefined || !CARRIERS.has(event.type) || event.meta !== undefined) return event;
    isDone = true;
    return { ...event, ...markOf(run, upstream) };
  };
};

/** Event types whose `meta` is not interpreted. */
const CARRIERS: ReadonlySet<Event["type"]> = new Set(["step-start", "agent-start", "status", "data"] as const);

/** Drops the server's own `meta`, which may mark a run that the server itself follows. */
const startOf = ({ meta: _, ...start }: EventOf<"run-start">, mark: { meta: Json } | undefined) => ({
  ...start,
  ...mark,
});
