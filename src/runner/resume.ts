import { setImmediate } from "node:timers/promises";
import type { Entry, Event, Problem } from "../events.ts";
import type { Log } from "../log.ts";
import type { RunnableAgent } from "../runner.ts";
import type { Past } from "../source.ts";
import { createState, fold } from "../state.ts";
import { closeForResume } from "./close.ts";
import type { Intake } from "./intake.ts";
import { sizeOf, type Writer } from "./writer.ts";

export interface Takeover {
  /** The last entry of the previous owner. */
  readonly after: number;
  readonly reason: "expired" | "released";
  readonly startedAt: number;
  /** Why the run cannot continue. If set, the run only ends. */
  readonly problem?: Problem;
}

export interface Resuming {
  readonly log: Log;
  readonly run: string;
  readonly agent: RunnableAgent;
  readonly owner: string;
  readonly intake: Intake;
  readonly writer: Writer;
}

const PAGE = 128;

export const pagesOf = async function* (
  log: Pick<Log, "read">,
  run: string,
  from = 0,
  to = Infinity,
): AsyncGenerator<readonly Entry[], void> {
  for (let after = from; after < to;) {
    const entries = await log.read(run, after, Math.min(PAGE, to - after));
    if (!entries.length) return;
    // A log that resolves immediately must not starve the event loop.
    if (after > from) await setImmediate();
    after = entries.at(-1)!.seq;
    yield entries;
  }
};

/**
 * Replays the log, closes what was cut, and stores run-resume, unless the run can only end. Closes nothing for a source
 * that follows a run on another server.
 */
export const resumeAfter = async (
  { after, reason, problem }: Takeover,
  { log, run, agent, owner, intake, writer }: Resuming,
): Promise<Past> => {
  const state = createState();
  let last: Entry | undefined;
  let bytes = 0;
  for await (const entries of pagesOf(log, run)) {
    for (const entry of entries) {
      intake.replay(entry.event);
      fold(state, entry);
      bytes += sizeOf(entry.event) + fileBytesOf(entry.event);
      last = entry;
    }
  }
  if (last?.seq !== after) throw new Error(`run ${run} should end at entry ${after}, but ends at ${last?.seq ?? 0}`);
  writer.continueAfter(last, bytes);
  if (problem || agent.source.follows) return { entries: () => pagesOf(log, run, 0, after), state };
  for (const event of closeForResume(intake.verifier.root)) intake.emit(event);
  intake.emit({ type: "run-resume", owner, reason, after });
  await writer.flushed();
  // Read no further: work that a later owner began must not be continued here.
  const to = writer.seq;
  for await (const entries of pagesOf(log, run, after, to)) for (const entry of entries) fold(state, entry);
  return { entries: () => pagesOf(log, run, 0, to), state };
};

/** The bytes stored alongside the log that an event refers to. */
const fileBytesOf = (event: Event): number => {
  if (event.type === "file") return event.file === undefined ? 0 : (event.bytes ?? 0);
  if (event.type === "run-start") {
    const own = event.message?.content ?? [];
    return own.reduce((sum, part) => sum + (part.type === "file" ? (part.bytes ?? 0) : 0), event.request?.bytes ?? 0);
  }
  if (event.type !== "tool-end") return 0;
  return (event.content ?? []).reduce((sum, part) => sum + (part.type === "file" ? part.bytes : 0), 0);
};
