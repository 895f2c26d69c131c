import type { Content, Entry, EventOf, Finish, Json, Message, Part } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import { parseJson } from "../json.ts";

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type Words = Mutable<Extract<Part, { type: "text" | "thinking" }>>;
type Call = Mutable<Omit<Extract<Part, { type: "call" }>, "input">> & {
  input: Json | undefined;
  text: string;
  readonly provider: boolean;
};
interface Step {
  readonly id: string;
  finish: Finish | undefined;
  readonly parts: (Words | Call | Exclude<Part, { type: "call" }>)[];
  results: Part[];
}

export interface RunAnswer {
  /** Applies one entry. Each must be given once, in order. */
  take(entry: Entry): void;
  messages(): Message[];
  /** The first of these messages: without the steps at the end that failed or were cut off. */
  finished(): Message[];
}

/** Whether a step's output is complete, so the conversation can continue after it. */
export const isFinished = (finish: Finish | undefined): boolean => finish !== undefined && FINISHED[finish];
const FINISHED: Readonly<Record<Finish, boolean>> = {
  stop: true,
  tools: true,
  length: true,
  other: true,
  filter: false,
  error: false,
  cancelled: false,
  interrupted: false,
};

/**
 * The messages that a run adds to its conversation, for the next request: the root agent's own text, calls, and
 * results, step by step. Output of sub-agents and tools is included only through the results.
 */
export const createAnswer = (): RunAnswer => {
  const steps: Step[] = [];
  const words = new Map<string, { readonly part: Words; readonly step: Step }>();
  const calls = new Map<string, { readonly part: Call; readonly step: Step }>();

  const say = (id: string, part: Words): void => {
    const step = steps.at(-1);
    if (!step) return;
    step.parts.push(part);
    words.set(id, { part, step });
  };
  const forget = (id: string): void => {
    const found = words.get(id);
    if (!found) return;
    words.delete(id);
    found.step.parts.splice(found.step.parts.indexOf(found.part), 1);
  };

  const take = ({ event }: Entry): void => {
    if (event.agent !== undefined) return;
    const { meta } = event;
    switch (event.type) {
      case "step-start":
        steps.push({ id: event.step, finish: undefined, parts: [], results: [] });
        return;
      case "step-end": {
        const step = steps.findLast(({ id }) => id === event.step);
        if (step) step.finish = event.finish;
        return;
      }
      case "run-resume":
        // Drop interrupted steps, because they are requested again.
        for (const step of steps.filter(({ finish }) => finish === "interrupted")) steps.splice(steps.indexOf(step), 1);
        return;
      case "text-start":
        if (event.replaces !== undefined) forget(event.replaces);
        if (event.call === undefined) say(event.part, { type: "text", text: "" });
        return;
      case "thinking-start":
        say(event.part, { type: "thinking", text: "" });
        break;
      case "text-delta":
      case "thinking-delta": {
        const found = words.get(event.part);
        if (found) found.part.text += event.delta;
        break;
      }
      case "tool-start": {
        const { call, name, provider = false, repeats } = event;
        const earlier = repeats === undefined ? undefined : calls.get(repeats);
        if (earlier) {
          // The model made one call and sees only the outcome that counts.
          earlier.step.results = earlier.step.results.filter((part) => !("call" in part) || part.call !== repeats);
          earlier.part.call = call;
          calls.set(call, earlier);
          break;
        }
        const step = steps.at(-1);
        if (!step) return;
        const part: Call = { type: "call", call, name, input: undefined, text: "", provider };
        step.parts.push(part);
        calls.set(call, { part, step });
        break;
      }
      case "tool-input-delta": {
        const found = calls.get(event.call);
        if (found) found.part.text += event.delta;
        break;
      }
      case "tool-input-end":
      case "tool-execute": {
        const found = calls.get(event.call);
        if (found) found.part.input = event.input ?? found.part.input;
        break;
      }
      case "tool-end": {
        const found = calls.get(event.call);
        if (found && event.outcome !== "deferred")
          (found.part.provider ? found.step.parts : found.step.results).push(resultOf(event, found.part.name));
        return;
      }
      default:
        event satisfies EventsAbout;
    }
    if (meta === undefined) return;
    if ("part" in event && event.part !== undefined) {
      const part = words.get(event.part)?.part;
      if (part?.type === "thinking") part.meta = meta;
    } else if ("call" in event && event.call !== undefined) {
      const found = calls.get(event.call);
      if (found) found.part.meta = meta;
    }
  };

  return {
    take,
    messages: () => messagesOf(steps),
    finished: () => messagesOf(steps.slice(0, 1 + steps.findLastIndex(({ finish }) => isFinished(finish)))),
  };
};

const messagesOf = (steps: readonly Step[]): Message[] =>
  steps.flatMap(({ parts, results }): Message[] => {
    const content = parts.flatMap(whole);
    return [
      ...(content.length > 0 ? [{ role: "assistant" as const, content }] : []),
      ...(results.length > 0 ? [{ role: "tool" as const, content: results }] : []),
    ];
  });

const whole = (part: Words | Call | Exclude<Part, { type: "call" }>): Part[] => {
  if (part.type === "text") return part.text === "" ? [] : [part];
  if (part.type !== "call") return [part];
  const { call, name, meta, input = parseJson(part.text) ?? {} } = part;
  return [{ type: "call", call, name, input, ...(meta !== undefined && { meta }) }];
};

const resultOf = (
  { call, outcome, content, value, error }: EventOf<"tool-end">,
  name: string,
): Extract<Part, { type: "result" }> => {
  const parts: Content[] = content?.length ? content : value !== undefined ? [{ type: "json", value }] : [];
  const failed = outcome !== "ok";
  const text = error?.message ?? `The call ended as ${outcome}.`;
  return {
    type: "result",
    call,
    name,
    content: parts.length > 0 || !failed ? parts : [{ type: "text", text }],
    ...(failed && { error: true }),
  };
};
