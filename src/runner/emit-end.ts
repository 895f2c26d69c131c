import type { EventOf } from "../events.ts";
import { type Ending, closeInside, closeQuietly, endingOf, unfinished } from "./close.ts";
import type { Intake } from "./intake.ts";
import { problemOf } from "./problem.ts";

/** Closes everything open and emits the one run-end. Its outcome is the requested one, the source's own, or derived from what is open. */
export const emitEnd = (
  intake: Intake,
  asked: Ending | undefined,
  end: EventOf<"run-end"> | undefined,
): EventOf<"run-end"> => {
  const { verifier, tally, costs } = intake;
  const ending = asked ?? endingOf(end) ?? unfinished(verifier.root);
  if (!ending) for (const event of closeQuietly(verifier.root)) intake.emit(event);
  for (const event of closeInside(verifier.root, ending ?? { outcome: "interrupted" })) intake.emit(event);
  const removed = intake.redactor?.notice();
  if (removed) intake.emit(removed, true);
  const runEnd = {
    type: "run-end",
    outcome: ending?.outcome ?? "done",
    ...(ending?.error && { error: ending.error }),
  } as const;
  const written: EventOf<"run-end"> = costs.add({ ...runEnd, ...tally.summary(end, !ending, costs.used) });
  try {
    intake.emit(written);
    return written;
  } catch (error) {
    // The source named an answer part or a call that does not exist.
    const corrected = {
      ...runEnd,
      outcome: "error",
      error: problemOf(error),
      ...tally.summary(undefined, false, costs.used),
    } as const;
    intake.emit(corrected);
    return corrected;
  }
};
