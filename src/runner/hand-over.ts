import type { Event } from "../events.ts";
import type { OpenAgent } from "../verify.ts";
import { closeForResume } from "./close.ts";
import { isAnothers } from "./close-cut.ts";
import type { RunOptions } from "./run-options.ts";
import { withheldOf } from "./stored-request.ts";
import type { Writer } from "./writer.ts";

/** How often to check whether a run without new events can leave, such as one that waits for the user. */
export const LOOK_MS = 50;

/** Whether another process can continue the run. */
export const canHandOver = ({ agent: { source }, request }: RunOptions): boolean =>
  source.resume !== undefined && (source.follows === true || withheldOf(request).length === 0);

/** Whether another process can continue from here without loss: no part, step or call is open. */
export const isSafePoint = (root: OpenAgent): boolean => closeForResume(root).length === 0;

const BEGINNINGS: ReadonlySet<Event["type"]> = new Set([
  "step-start",
  "text-start",
  "thinking-start",
  "tool-start",
  "tool-execute",
  "agent-start",
] as const);

/** Whether this event begins something that cannot outlive the process. The run should leave before it. */
export const isBeginning = ({ type }: Event): boolean => BEGINNINGS.has(type);

/** Releases the run once all accepted events are stored. If that fails, its lease ends with this process. */
export const release = async ({ log, run, as, onProblem }: RunOptions, writer: Writer): Promise<void> => {
  try {
    await writer.flushed();
    await log.release(run, as);
  } catch (error) {
    if (!isAnothers(error)) onProblem?.(error);
  }
};
