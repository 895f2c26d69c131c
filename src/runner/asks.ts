import { isDeepStrictEqual } from "node:util";
import type { Answer, AskOutcome, Event, EventOf, Json } from "../events.ts";
import { Refusal } from "../source.ts";
import type { OpenAsk } from "../verify.ts";

export interface AskResult {
  readonly outcome: AskOutcome;
  readonly answer?: Answer;
  readonly by?: string;
}

/** The asks of one run: who waits for which, when they expire, and what was answered. */
export interface Asks {
  answerTo(ask: string): Promise<AskResult>;
  answer(
    ask: OpenAsk | undefined,
    answer: Answer,
    by: string | undefined,
  ): "accepted" | "same" | "conflict" | "closed" | "unknown";
  observe(event: EventOf<"ask-start" | "ask-end">): void;
  /** The run is over: whoever still waits is told. */
  close(): void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

export const createAsks = (emit: (event: Event) => void): Asks => {
  const results = new Map<string, AskResult>();
  const waiters = new Map<string, ((result: AskResult) => void)[]>();
  const timers = new Map<string, NodeJS.Timeout>();
  const choices = new Map<string, readonly Json[]>();

  const settle = (ask: string, result: AskResult): void => {
    results.set(ask, result);
    clearTimeout(timers.get(ask));
    timers.delete(ask);
    choices.delete(ask);
    for (const resolve of waiters.get(ask) ?? []) resolve(result);
    waiters.delete(ask);
  };

  return {
    answerTo(ask) {
      const known = results.get(ask);
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => waiters.set(ask, [...(waiters.get(ask) ?? []), resolve]));
    },
    answer(ask, answer, by) {
      if (!ask) return "unknown";
      const known = results.get(ask.id);
      if (known)
        return known.outcome !== "answered" ? "closed" : isDeepStrictEqual(known.answer, answer) ? "same" : "conflict";
      const needsAllow = ask.kind === "approval" || ask.kind === "confirmation";
      if (needsAllow && answer.allow === undefined)
        throw new Refusal("bad-answer", `this ${ask.kind} is answered with allow: true or false`);
      if (!needsAllow && answer.value === undefined)
        throw new Refusal("bad-answer", `this ${ask.kind} is answered with a value`);
      const values = choices.get(ask.id);
      const { value } = answer;
      if (values && value !== null && !values.some((known) => isDeepStrictEqual(known, value)))
        throw new Refusal("bad-answer", `this choice is answered with the value of one of its options, or null`, {
          hint: `one of ${values.map((known) => JSON.stringify(known)).join(", ")}`,
        });
      emit({
        type: "ask-end",
        ...(ask.agent.id !== undefined && { agent: ask.agent.id }),
        ask: ask.id,
        outcome: "answered",
        answer,
        ...(by && { by }),
      });
      return "accepted";
    },
    observe(event) {
      if (event.type === "ask-end") {
        const { outcome, answer, by } = event;
        return settle(event.ask, { outcome, ...(answer && { answer }), ...(by && { by }) });
      }
      results.delete(event.ask);
      const { kind, options } = event;
      if (kind === "choice" && options)
        choices.set(
          event.ask,
          options.map((option) => option.value),
        );
      if (event.expires === undefined) return;
      const { ask, agent, expires } = event;
      const expire = () => emit({ type: "ask-end", ...(agent !== undefined && { agent }), ask, outcome: "expired" });
      timers.set(ask, setTimeout(expire, Math.min(Math.max(0, expires - Date.now()), LONGEST_TIMER)));
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
      for (const ask of [...waiters.keys()]) settle(ask, { outcome: "cancelled" });
    },
  };
};
