import type { Event } from "../events.ts";
import type { OpenAgent } from "../verify.ts";
import { closeForResume } from "./close.ts";
import { isAnothers } from "./close-cut.ts";
import type { RunOptions } from "./run-options.ts";
import { withheldOf } from "./stored-request.ts";
import type { Writer } from "./writer.ts";

/** How often to look whether a run that says nothing can leave: one that waits for a person stays silent. */
export const LOOK_MS = 50;

/** Whether another process can go on with the run. */
export const canGoOn = ({ agent: { source }, request }: RunOptions): boolean =>
  source.resume !== undefined && (source.follows === true || withheldOf(request).length === 0);

/** Whether another process loses nothing if it goes on from here: no words, no step and no call is under way. */
export const isSafePoint = (root: OpenAgent): boolean => closeForResume(root).length === 0;

const BEGINNINGS: ReadonlySet<Event["type"]> = new Set([
  "step-start",
  "text-start",
  "thinking-start",
  "tool-start",
  "tool-execute",
  "agent-start",
] as const);

/** Whether this begins something that cannot outlive the process, so that the run had better leave before it. */
export const isBeginning = ({ type }: Event): boolean => BEGINNINGS.has(type);

/** Gives the run up once everything that was taken in is stored. If that fails, its lease ends with this process. */
export const release = async ({ log, run, as, onProblem }: RunOptions, writer: Writer): Promise<void> => {
  try {
    await writer.flushed();
    await log.release(run, as);
  } catch (error) {
    if (!isAnothers(error)) onProblem?.(error);
  }
};
