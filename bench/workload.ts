import type { Event } from "../src/events.ts";

/** What one measurement asks of a server. */
export interface Plan {
  /** `burst`: as fast as the event loop turns. `paced`: at `rate`. `idle`: opened, then silent. */
  readonly mode: "burst" | "paced" | "idle";
  readonly streams: number;
  readonly tokens: number;
  readonly tools: number;
  /** In a burst: events per run and turn of the event loop. */
  readonly perTick: number;
  /** When paced: events per second and run. */
  readonly rate: number;
  /** All streams show one run, instead of one run per stream. */
  readonly shared: boolean;
  /** Filler in each token, for large runs. */
  readonly padding: number;
}

/** One run in one protocol. `opening` is sent when the stream opens and is not counted. */
export interface RunScript<Item> {
  readonly opening: readonly Item[];
  readonly events: readonly Item[];
}

/**
 * Occurs exactly once in each counted event and nowhere else. A single byte, so it cannot be split between two reads.
 */
export const MARK = "~";
/** Digits after the mark in a paced run: the emission time in microseconds of the monotonic clock, which processes share. */
export const STAMP_DIGITS = 16;

export const countedEvents = (plan: Plan): number => plan.tokens + plan.tools * 3;

export const microseconds = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + Math.floor(nanoseconds / 1e3);
};

const words = [" the", " run", " shows", " every", " token", " as", " it", " comes,", " and", " tools"];
export const token = (plan: Plan, index: number): string =>
  words[index % words.length] + MARK + (plan.padding ? "x".repeat(plan.padding) : "");

export const eachToken = <Item>(plan: Plan, make: (delta: string) => Item): Item[] =>
  Array.from({ length: plan.tokens }, (_, index) => make(token(plan, index)));
export const eachTool = <Item>(plan: Plan, make: (call: string) => readonly Item[]): Item[] =>
  Array.from({ length: plan.tools }, (_, index) => make(`call-${index}`)).flat();

/** The run in our own events, closed as the grammar requires. */
export const nativeRun = (plan: Plan): RunScript<Event> => ({
  opening: [
    { type: "step-start", step: "step-1" },
    { type: "text-start", part: "text-1" },
  ],
  events: [
    ...eachToken(plan, (delta): Event => ({ type: "text-delta", part: "text-1", delta })),
    { type: "text-end", part: "text-1" },
    ...eachTool<Event>(plan, (call) => [{ type: "tool-start", call, name: "search", title: `Search ${MARK}` }]),
    { type: "step-end", step: "step-1", finish: plan.tools ? "tools" : "stop" },
    ...eachTool<Event>(plan, (call) => [
      { type: "tool-execute", call, input: { query: `weather ${MARK}` } },
      { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: `It rains ${MARK}` }], ms: 12 },
    ]),
  ],
});
