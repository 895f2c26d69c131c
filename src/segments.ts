import type { Event } from "./events.ts";
import { createVerifier, type OpenAgent } from "./verify.ts";

/**
 * Divides a run into segments, for protocols that end their stream where a person is asked and go on in the next request.
 * A segment ends when everything that is still open waits for people. That follows from the log alone, so every viewer and every
 * replay of a run has the same segments.
 *
 * - An open step works, and so does an executing call that neither asks anything nor waits for a sub-agent that does.
 * - A call that has not begun to execute is about to, so it works too. A source that holds a step's other calls back until a person
 *   has answered asks before it ends that step.
 * - An `ask-end` never ends a segment: what the answer causes belongs to it.
 * - While everything waits, only another ask ends a segment anew. Whatever else comes then (a mark, a `run-resume`) belongs to the next
 *   one, which nobody has seen yet.
 */
export interface Segments {
  /** Takes in the next event. Answers whether a segment ends after it. */
  take(event: Event): boolean;
  /** The asks that are open after the last event, in the order they were asked. */
  readonly openAsks: readonly string[];
}

export const createSegments = (): Segments => {
  const verifier = createVerifier();
  /** Steps with an ask from before their end. */
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
      // A provider does nothing while no step is open.
      else if (!call.provider && !awaited.has(call.id) && (call.phase === "executing" || !heldSteps.has(call.step)))
        return false;
    }
    return asked;
  };

  return {
    take(event) {
      // Pieces open and end nothing. Nor does a resume, and it names a place in the log, which is another where deltas are merged.
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
