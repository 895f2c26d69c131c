import type { AskAnswer, Command } from "../../dialect.ts";
import type { Event } from "../../events.ts";
import { createSegments } from "../../segments.ts";
import type { RunContext } from "../../source.ts";
import { createAnswer } from "../../state.ts";

type Start = Extract<Command, { do: "start" }>;

/** Continues a run whose upstream stream ends when the user is asked. The next request carries all answers. */
export interface Continuation {
  /** Takes an event, with the server's ids and with the ids of this run. */
  observe(theirs: Event, ours: Event): void;
  /** Whether the run waits only for answers, so the stream has ended rather than broken off. */
  readonly isDue: boolean;
  /** Resolves with the next request when all asks have ended. Undefined if none of them was answered here. */
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
  /** Open asks by their id in this run, with their upstream ids. */
  const open = new Map<string, Asked>();
  const endedThere = new Set<string>();
  let isDue = false;
  let seq = 0;
  // Servers of some dialects never send a run-start.
  segments.take({ type: "run-start", protocol: 1, run, name: "" });

  const answerOf = async ([ours, asked]: [string, Asked]): Promise<AskAnswer[]> => {
    const { outcome, answer: given } = await answerTo(ours);
    if (endedThere.has(ours)) return [];
    if (outcome === "answered" && given) return [{ ...asked, answer: given }];
    // No answer will come, and the server would wait forever.
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
