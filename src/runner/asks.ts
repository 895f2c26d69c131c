import { isDeepStrictEqual } from "node:util";
import type { Answer, AskOutcome, Event, EventOf, Json } from "../events.ts";
import { issuesText, jsonSchema } from "../json-schema.ts";
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

interface Wanted {
  readonly values?: readonly Json[];
  readonly schema?: Json;
}

const LONGEST_TIMER = 2 ** 31 - 1;

export const createAsks = (emit: (event: Event) => void): Asks => {
  const results = new Map<string, AskResult>();
  const waiters = new Map<string, ((result: AskResult) => void)[]>();
  const timers = new Map<string, NodeJS.Timeout>();
  /** What answers must be, of the asks that say so. */
  const wanted = new Map<string, Wanted>();

  const settle = (ask: string, result: AskResult): void => {
    results.set(ask, result);
    clearTimeout(timers.get(ask));
    timers.delete(ask);
    wanted.delete(ask);
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
      checkValue(wanted.get(ask.id), answer.value);
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
      const { kind, options, schema } = event;
      if (schema !== undefined || (kind === "choice" && options))
        wanted.set(event.ask, {
          ...(kind === "choice" && options && { values: options.map((option) => option.value) }),
          ...(schema !== undefined && { schema }),
        });
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

/** Refuses a value that is not what was asked for. Null is always one: that of a person who will not say. */
const checkValue = ({ values, schema }: Wanted = {}, value: Json | undefined): void => {
  if (value === undefined || value === null) return;
  if (values && !values.some((known) => isDeepStrictEqual(known, value)))
    throw new Refusal("bad-answer", `this choice is answered with the value of one of its options, or null`, {
      hint: `one of ${values.map((known) => JSON.stringify(known)).join(", ")}`,
    });
  const problem = schema === undefined ? undefined : misfit(schema, value);
  if (problem !== undefined)
    throw new Refusal("bad-answer", `the value does not fit what was asked for: ${problem}`, {
      hint: "the schema of the ask-start event says what fits",
    });
};

/** What keeps the value from fitting. A form of one field may be answered with the bare value. */
const misfit = (schema: Json, value: Json): string | undefined => {
  try {
    const checked = jsonSchema(schema);
    const result = checked.safeParse(value);
    if (result.success) return undefined;
    const field = typeof value === "object" ? undefined : onlyField(schema);
    if (field !== undefined && checked.safeParse({ [field]: value }).success) return undefined;
    return issuesText(result.error.issues);
  } catch {
    // A schema that cannot be checked here is left to whoever asked.
    return undefined;
  }
};

const onlyField = (schema: Json): string | undefined => {
  const { properties } = schema as { properties?: Record<string, Json> };
  const fields = Object.keys(properties ?? {});
  return fields.length === 1 ? fields[0] : undefined;
};
