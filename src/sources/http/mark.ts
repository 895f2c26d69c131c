import { fieldsOf } from "../../json.ts";
import type { Event, EventOf, Json } from "../../events.ts";
import { textOf } from "../upstream/reading.ts";

/** Says in `meta` which run there is followed here: both ids, because a Runcast there may follow another run in its turn. */
export const markOf = (run: string, upstream: string): { meta: Json } => ({
  meta: { upstream: { run, id: upstream } },
});

/** The run there, if this event says it of this run. */
export const markedRun = ({ meta }: Event, run: string): string | undefined => {
  const upstream = fieldsOf(fieldsOf(meta)["upstream"]);
  return upstream["run"] === run ? textOf(upstream["id"]) : undefined;
};

/** Marks the first events that can carry it: run-start may be stored before the server has said anything. */
export const createMarking = (run: string): ((event: Event, upstream: string | undefined) => Event) => {
  let isDone = false;
  return (event, upstream) => {
    if (event.type === "run-start") return startOf(event, upstream === undefined ? undefined : markOf(run, upstream));
    if (isDone || upstream === undefined || !CARRIERS.has(event.type) || event.meta !== undefined) return event;
    isDone = true;
    return { ...event, ...markOf(run, upstream) };
  };
};

/** Nothing is made of their `meta`. */
const CARRIERS: ReadonlySet<Event["type"]> = new Set(["step-start", "agent-start", "status", "data"] as const);

/** What a server says of a run that it follows itself is not ours to say. */
const startOf = ({ meta: _, ...start }: EventOf<"run-start">, mark: { meta: Json } | undefined) => ({
  ...start,
  ...mark,
});
