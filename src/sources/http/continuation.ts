import type { AskAnswer, Command } from "../../dialect.ts";
import type { Event } from "../../events.ts";
import { createSegments } from "../../segments.ts";
import type { RunContext } from "../../source.ts";
import { createAnswer } from "../../state.ts";

type Start = Extract<Command, { do: "start" }>;

/** Goes on with a run whose stream there ends where people are asked: the next request carries all their answers. */
export interface Continuation {
  /** Takes in an event: as the server said it, and as it is said here. */
  observe(theirs: Event, ours: Event): void;
  /** Whether everything waits for people by now, so that the stream has ended, not broken off. */
  readonly isDue: boolean;
  /** Resolves with the next request when all that is asked has ended; undefined if nothing of it was answered here. */
  next(): Promise<Start | undefined>;
}

interface Asked {
  readonly ask: string;
  readonly call?: string;
}

export const createContinuation = (
  start: Start,
  { answerTo, run }: Pick<RunContext, "answerTo" | "run">,
): Continuation => {
  const segments = createSegments();
  const answer = createAnswer();
  /** What is asked, by the id that it has here, with the ids that it has there. */
  const open = new Map<string, Asked>();
  const endedThere = new Set<string>();
  let isDue = false;
  let seq = 0;
  // A server of another family may never say that it starts.
  segments.take({ type: "run-start", protocol: 1, run, name: "" });

  const answerOf = async ([ours, asked]: [string, Asked]): Promise<AskAnswer[]> => {
    const { outcome, answer: given } = await answerTo(ours);
    if (endedThere.has(ours)) return [];
    if (outcome === "answered" && given) return [{ ...asked, answer: given }];
    // Nobody answers it any more, and the server would wait for good.
    return outcome === "expired" ? [{ ...asked, answer: { allow: false } }] : [];
  };

  return {
    observe(theirs, ours) {
      answer.take({ seq: ++seq, at: 0, event: theirs });
      isDue = segments.take(ours);
      if (ours.type === "ask-start" && theirs.type === "ask-start")
        open.set(ours.ask, { ask: theirs.ask, ...(theirs.call !== undefined && { call: theirs.call }) });
      else if (ours.type === "ask-end") {
        endedThere.add(ours.ask);
        open.delete(ours.ask);
      }
    },
    get isDue() {
      return isDue;
    },
    async next() {
      const asked = [...open];
      const answers = (await Promise.all(asked.map(answerOf))).flat();
      for (const [ours] of asked) open.delete(ours);
      if (answers.length === 0) return undefined;
      const messages = [...start.request.messages, ...answer.messages()];
      return { ...start, request: { ...start.request, messages }, answers };
    },
  };
};
