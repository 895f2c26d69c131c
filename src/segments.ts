import type { Event } from "./events.ts";
import { createVerifier, type OpenAgent } from "./verify.ts";

/**
 * Divides a run into segments, for protocols that end their stream at an ask and continue in the next request. A
 * segment ends when everything that is still open waits for users. This depends only on the log, so every viewer and
 * every replay of a run has the same segments.
 *
 * - An open step counts as work. So does an executing call, unless it has an open ask or waits for a sub-agent that has one.
 * - A call that has not begun to execute counts as work, because it is about to. A source that holds back a step's
 *   other calls until the user answers must ask before it ends that step.
 * - An `ask-end` never ends a segment, because the effects of the answer belong to the same segment.
 * - While everything waits, only another ask ends a segment again. Any other event (a mark, a `run-resume`) belongs to
 *   the next segment, which no client has seen yet.
 */
export interface Segments {
  /** Processes the next event. Returns whether a segment ends after it. */
  take(event: Event): boolean;
  /** The asks that are open after the last event, in the order they started. */
  readonly openAsks: readonly string[];
}

export const createSegments = (): Segments => {
  const verifier = createVerifier();
  /** Steps with an ask that started before the step ended. */
  const heldSteps = new Set<string>();
  const open = new Set<string>();
  let isWaiting = false;

  const waits = ({ step, asks, calls, children }: OpenAgent): boolean => {
    if (step !== undefined) return false;
    let asked = asks.size > 0;
    const awaited = new Set<string | undefined>();
    for (const child of children) {
      if (!waits(child)) return false;
      asked = true;
      awaited.add(child.call);
    }
    for (const call of calls) {
      if (call.asks.size > 0) asked = true;
      // The provider does no work while no step is open.
      else if (!call.provider && !awaited.has(call.id) && (call.phase === "executing" || !heldSteps.has(call.step)))
        return false;
    }
    return asked;
  };

  return {
    take(event) {
      // Deltas open and end nothing, and neither does a resume, which names a log position that shifts when deltas are merged.
      if ("delta" in event || event.type === "run-resume") return false;
      if (verifier.check(event) !== undefined) return false;
      if (event.type === "ask-start") {
        open.add(event.ask);
        const call = event.call === undefined ? undefined : verifier.calls.get(event.call);
        if (call && call.agent.step === call.step) heldSteps.add(call.step);
      } else if (event.type === "ask-end") {
        open.delete(event.ask);
        return (isWaiting = false);
      }
      const wasWaiting = isWaiting;
      isWaiting = open.size > 0 && waits(verifier.root);
      return isWaiting && (!wasWaiting || event.type === "ask-start");
    },
    get openAsks() {
      return [...open];
    },
  };
};
