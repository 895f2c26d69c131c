import { isDeepStrictEqual } from "node:util";
import type { Answer, AskOutcome, Event, EventOf, Json } from "../events.ts";
import type { Given } from "../log.ts";
import { choicesOf, isPermission, type PermissionEvent } from "../protocol.ts";
import { issuesText, jsonSchema } from "../json-schema.ts";
import type { AnswerResult } from "../runner.ts";
import { Refusal } from "../source.ts";
import type { OpenAsk } from "../verify.ts";
import { createPermissions, type Permissions } from "./permissions.ts";
import { after } from "./timer.ts";

export interface AskResult {
  readonly outcome: AskOutcome;
  readonly answer?: Answer;
  readonly by?: string;
}

/** The asks of one run: their waiters, expiry timers and answers. */
export interface Asks {
  answerTo(ask: string): Promise<AskResult>;
  /** With `revoke`, takes back what an earlier answer allowed. */
  answer(ask: OpenAsk | undefined, answer: Given, by: string | undefined): AnswerResult;
  readonly isRevoked: Permissions["isRevoked"];
  observe(event: AskEvent): void;
  /** Replays an event that an earlier owner wrote. Starts no expiry timers; see `arm`. */
  replay(event: AskEvent): void;
  /** Starts the expiry timers of replayed asks. */
  arm(): void;
  /** The run is over: settles the remaining waiters as cancelled. */
  close(): void;
}

type AskEvent = EventOf<"ask-start" | "ask-end"> | PermissionEvent;

interface Wanted {
  readonly values?: readonly Json[];
  readonly schema?: Json;
  readonly allows?: EventOf<"ask-start">["allows"];
}

/** Whether `observe` or `replay` must see the event. */
export const isAboutAsk = (event: Event): event is AskEvent =>
  event.type === "ask-start" || event.type === "ask-end" || isPermission(event);

export const createAsks = (emit: (event: Event) => void): Asks => {
  // Most runs have no asks.
  let known: Map<string, AskState> | undefined;
  const of = (ask: string): AskState => {
    const all = (known ??= new Map<string, AskState>());
    let found = all.get(ask);
    if (!found) all.set(ask, (found = {}));
    return found;
  };

  const permissions = createPermissions(emit);

  const settle = (ask: string, result: AskResult): void => {
    const { stopTimer, waiters = [] } = of(ask);
    stopTimer?.();
    known?.set(ask, { result });
    for (const resolve of waiters) resolve(result);
  };

  const take = (event: AskEvent): void => {
    if (event.type === "data") return permissions.take(event);
    if (event.type === "ask-end") {
      const { outcome, answer, by } = event;
      return settle(event.ask, { outcome, ...(answer && { answer }), ...(by && { by }) });
    }
    const { ask, kind, options, schema, allows } = event;
    const asked = of(ask);
    delete asked.result;
    asked.start = event;
    asked.wanted = {
      ...(kind === "choice" && options && { values: choicesOf(event).map((option) => option.value) }),
      ...(schema !== undefined && { schema }),
      ...(allows && { allows }),
    };
  };

  const arm = (ask: string): void => {
    const asked = of(ask);
    const { agent, expires } = asked.start ?? {};
    if (asked.result || expires === undefined) return;
    const expire = () => emit({ type: "ask-end", ...(agent !== undefined && { agent }), ask, outcome: "expired" });
    asked.stopTimer = after(Math.max(0, expires - Date.now()), expire);
  };

  return {
    answerTo(ask) {
      const asked = of(ask);
      if (asked.result) return Promise.resolve(asked.result);
      return new Promise((resolve) => (asked.waiters ??= []).push(resolve));
    },
    answer(ask, answer, by) {
      if (!ask) return "unknown";
      if (answer.revoke) return permissions.revoke(ask);
      const { result, wanted } = of(ask.id);
      if (result)
        return result.outcome !== "answered"
          ? "closed"
          : isDeepStrictEqual(result.answer, answer)
            ? "same"
            : "conflict";
      const needsAllow = ask.kind === "approval" || ask.kind === "confirmation";
      if (needsAllow && answer.allow === undefined)
        throw new Refusal("bad-answer", `answer this ${ask.kind} with allow: true or false`);
      if (!needsAllow && answer.value === undefined)
        throw new Refusal("bad-answer", `answer this ${ask.kind} with a value`);
      checkOption(ask, answer);
      checkAllowed(ask, wanted, answer);
      checkValue(wanted, answer.value);
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
    isRevoked: permissions.isRevoked,
    observe(event) {
      take(event);
      if (event.type === "ask-start") arm(event.ask);
    },
    replay: take,
    arm() {
      for (const ask of known?.keys() ?? []) arm(ask);
    },
    close() {
      for (const [ask, { stopTimer, waiters }] of known ?? []) {
        stopTimer?.();
        if (waiters) settle(ask, { outcome: "cancelled" });
      }
    },
  };
};

/** The option must be one of those offered, and `allow` must match what that option means. */
const checkOption = ({ kind, options }: OpenAsk, { option, allow }: Answer): void => {
  if (option === undefined) return;
  const allows = options?.get(option);
  if (allows === undefined)
    throw new Refusal("bad-answer", `this ${kind} offers no option ${JSON.stringify(option)}`, {
      hint: options ? `one of ${[...options.keys()].join(", ")}` : "answer without option",
    });
  if (allows !== allow)
    throw new Refusal("bad-answer", `the option ${option} ${allows ? "allows" : "denies"}, but allow is ${!allows}`, {
      hint: `answer with allow: ${allows}`,
    });
};

/** Rejects an edited input or an `always` that was not offered: the asker does not expect it. */
const checkAllowed = ({ kind }: OpenAsk, wanted: Wanted | undefined, { input, always }: Answer): void => {
  if (!wanted?.allows) return;
  if (input !== undefined && !wanted.allows.includes("edit"))
    throw new Refusal("bad-answer", `this ${kind} does not accept an edited input`, { hint: "answer without input" });
  if (always && !wanted.allows.includes("always"))
    throw new Refusal("bad-answer", `this ${kind} cannot be allowed for the rest of the run`, {
      hint: "answer without always",
    });
};

/** What is known about one ask: its waiters, expiry, accepted values and result. */
interface AskState {
  result?: AskResult;
  waiters?: ((result: AskResult) => void)[];
  stopTimer?: () => void;
  start?: EventOf<"ask-start">;
  wanted?: Wanted;
}

/** Rejects a value that does not match the ask. Null is always valid: the user declines to answer. */
const checkValue = ({ values, schema }: Wanted = {}, value: Json | undefined): void => {
  if (value === undefined || value === null) return;
  if (values && !values.some((known) => isDeepStrictEqual(known, value)))
    throw new Refusal("bad-answer", `answer this choice with the value of one of its options, or null`, {
      hint: `one of ${values.map((known) => JSON.stringify(known)).join(", ")}`,
    });
  const problem = schema === undefined ? undefined : mismatch(schema, value);
  if (problem !== undefined)
    throw new Refusal("bad-answer", `the value does not match the schema: ${problem}`, {
      hint: "see the schema in the ask-start event",
    });
};

/** Why the value does not match the schema. A form with one field may be answered with the bare value. */
const mismatch = (schema: Json, value: Json): string | undefined => {
  try {
    const checked = jsonSchema(schema);
    const result = checked.safeParse(value);
    if (result.success) return undefined;
    const field = typeof value === "object" ? undefined : onlyField(schema);
    if (field !== undefined && checked.safeParse({ [field]: value }).success) return undefined;
    return issuesText(result.error.issues);
  } catch {
    // If the schema cannot be checked here, leave the check to the asker.
    return undefined;
  }
};

const onlyField = (schema: Json): string | undefined => {
  const { properties } = schema as { properties?: Record<string, Json> };
  const fields = Object.keys(properties ?? {});
  return fields.length === 1 ? fields[0] : undefined;
};
