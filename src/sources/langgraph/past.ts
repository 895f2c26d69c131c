import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Answer, Event, EventOf, Json } from "../../events.ts";
import type { Past } from "../../source.ts";
import { countOf, textOf } from "../upstream/reading.ts";
import type { Mark } from "./decoder.ts";

/** A call in the log, under its first id. */
export interface PastCall {
  readonly start: EventOf<"tool-start">;
  /** Its current id. Repeating a call changes it. */
  id: string;
  /** The arguments received so far. */
  text: string;
  input: Json | undefined;
  hasInput: boolean;
  isExecuting: boolean;
  outcome: string | undefined;
}

export interface PastAsk {
  readonly start: EventOf<"ask-start">;
  /** Its current id. */
  id: string;
  isInterrupted: boolean;
}

/** The position of a run that another process followed, according to its log. */
export interface Earlier {
  readonly run: string;
  readonly version: number;
  /** The mark of the last event that has one, and the number of deltas after it. */
  readonly mark: Mark | undefined;
  readonly deltas: number;
  readonly seq: number;
  /** Parts and steps that have ended. */
  readonly ended: ReadonlySet<string>;
  readonly calls: ReadonlyMap<string, PastCall>;
  readonly asks: ReadonlyMap<string, PastAsk>;
  /** The answers, in order. An answer is undefined if there was none. */
  readonly answers: readonly { readonly ask: string; readonly answer: Answer | undefined }[];
}

export const noteOf = (event: Event): Fields => fieldsOf(fieldsOf(event.meta)["langgraph"]);

export const markOf = (event: Event): Mark | undefined => {
  const [number, place] = listOf(noteOf(event)["at"]).map(countOf);
  return number === undefined || place === undefined ? undefined : [number, place];
};

/** Reads the log of a run. Undefined if its server had not named the run yet. */
export const earlierOf = async (past: Past): Promise<Earlier | undefined> => {
  let run: string | undefined;
  let version = 2;
  let mark: Mark | undefined;
  let deltas = 0;
  const ended = new Set<string>();
  const calls = new Map<string, PastCall>();
  const asks = new Map<string, PastAsk>();
  const answers: { ask: string; answer: Answer | undefined }[] = [];
  const callOf = (id: string): PastCall | undefined => [...calls.values()].find((one) => one.id === id);
  for await (const entries of past.entries())
    for (const { event } of entries) {
      const note = noteOf(event);
      run ??= textOf(note["run"]);
      if (note["version"] === 1) version = 1;
      const found = markOf(event);
      if (found) {
        mark = found;
        deltas = 0;
      } else if ("delta" in event && note["isAdded"] !== true) deltas++;
      switch (event.type) {
        case "text-end":
        case "thinking-end":
          ended.add(event.part);
          break;
        case "step-end":
          ended.add(event.step);
          break;
        case "tool-start": {
          const before = event.repeats === undefined ? undefined : callOf(event.repeats);
          if (before) Object.assign(before, { id: event.call, text: "", isExecuting: false, outcome: undefined });
          else calls.set(event.call, newCall(event));
          break;
        }
        case "ask-start": {
          const first = textOf(note["ask"]);
          const before = first === undefined ? undefined : asks.get(first);
          if (before) Object.assign(before, { id: event.ask, isInterrupted: false });
          else asks.set(event.ask, { start: event, id: event.ask, isInterrupted: false });
          break;
        }
        case "ask-end":
          for (const [ask, known] of asks)
            if (known.id === event.ask && event.outcome === "interrupted") known.isInterrupted = true;
            else if (known.id === event.ask) answers.push({ ask, answer: event.answer });
          break;
        default:
          if ("call" in event && event.call !== undefined) takeCall(callOf(event.call), event);
      }
    }
  if (run === undefined) return undefined;
  return { run, version, mark, deltas, seq: past.state.seq, ended, calls, asks, answers };
};

const newCall = (start: EventOf<"tool-start">): PastCall => ({
  start,
  id: start.call,
  text: "",
  input: undefined,
  hasInput: false,
  isExecuting: false,
  outcome: undefined,
});

const takeCall = (call: PastCall | undefined, event: Event): void => {
  if (!call) return;
  if (event.type === "tool-input-delta") call.text += event.delta;
  if (event.type === "tool-input-end") {
    call.hasInput = true;
    if (event.input !== undefined) call.input = event.input;
  }
  if (event.type === "tool-execute") {
    call.isExecuting = true;
    if (event.input !== undefined) call.input = event.input;
  }
  if (event.type === "tool-end") call.outcome = event.outcome;
};
