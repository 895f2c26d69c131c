import { fieldsOf } from "../../json.ts";
import type { Event } from "../../events.ts";
import type { Past } from "../../source.ts";
import { countOf, textOf } from "../upstream/reading.ts";

/** The position of a run that another process followed, according to its log. */
export interface Earlier {
  readonly run: string;
  /** The number of the server's last event that is completely in the log, or -1. */
  readonly index: number;
  /** How many later text deltas are in the log. */
  readonly skip: number;
  readonly events: readonly Event[];
}

export const pastOf = async (past: Past): Promise<Earlier | undefined> => {
  const events: Event[] = [];
  let run: string | undefined;
  let index = -1;
  let skip = 0;
  for await (const entries of past.entries())
    for (const { event } of entries) {
      events.push(event);
      const agno = fieldsOf(fieldsOf(event.meta)["agno"]);
      run ??= textOf(agno["run"]);
      const number = countOf(agno["index"]);
      if (number !== undefined) {
        index = number;
        skip = 0;
      } else if (event.type === "text-delta" || event.type === "thinking-delta") skip++;
    }
  return run === undefined ? undefined : { run, index, skip, events };
};
