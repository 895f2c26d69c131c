import { expect } from "vitest";
import type { Answer, Entry, Event, EventOf, EventType } from "../../src/events.ts";
import { splitProviderId } from "../../src/ids.ts";
import type { Source } from "../../src/source.ts";
import { type CallNode, type RunState, createState, fold } from "../../src/state.ts";
import { verify } from "../../src/verify.ts";
import { entriesOf, setUp, untilEnd, untilEvent } from "../running.ts";

export type Decide = (ask: EventOf<"ask-start">, index: number) => Answer;

export const allow: Decide = () => ({ allow: true });

export const stateOf = (entries: readonly Entry[]): RunState => {
  const state = createState();
  for (const entry of entries) fold(state, entry);
  return state;
};

/** What tests inspect in a run. */
export const looking = (entries: readonly Entry[]) => {
  expect(verify(entries)).toBeUndefined();
  const events = entries.map(({ event }) => event);
  const all = <Type extends EventType>(type: Type) =>
    events.filter((event): event is EventOf<Type> => event.type === type);
  const state = stateOf(entries);
  const calls = [...state.nodes.values()].filter((node): node is CallNode => node.kind === "call");
  return {
    entries,
    events,
    all,
    state,
    end: all("run-end")[0]!,
    calls,
    /** The call to which the server gave this id. */
    callOf: (id: string): CallNode => {
      const start = all("tool-start").find(({ meta }) => splitProviderId(meta).id === id);
      return calls.find((call) => call.id === start?.call)!;
    },
    /** The text of the root, or of a sub-agent. */
    text: (agent?: string) => textOf(events, "text-delta", agent),
    thinking: (agent?: string) => textOf(events, "thinking-delta", agent),
  };
};

const textOf = (events: readonly Event[], type: "text-delta" | "thinking-delta", agent: string | undefined): string =>
  events.map((event) => (event.type === type && event.agent === agent ? event.delta : "")).join("");

/** The text of a call's result. */
export const resultOf = ({ content = [] }: CallNode): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

/** Starts a run with this message. */
export const start = async (source: Source, prompt: string, more: object = {}) => {
  const { runner, log } = setUp({ graceMs: 5000 });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: prompt }] }];
  const { run } = await runner.start({ messages, ...more }, { name: "framework", source });
  return {
    runner,
    log,
    run,
    until: (isIt: (event: Event) => boolean) => untilEvent(log, run, isIt),
    ended: async () => {
      await untilEnd(log, run);
      return looking(await entriesOf(log, run));
    },
  };
};

/** Plays a story to its end and answers every ask, in order. */
export const playStory = async (source: Source, prompt: string, decide: Decide = allow, more: object = {}) => {
  const { runner, log, run, ended } = await start(source, prompt, more);
  const over = ended();
  let isOver = false;
  void over.finally(() => (isOver = true)).catch(() => {});
  const answered = new Set<string>();
  while (!isOver) {
    for (const { event } of await entriesOf(log, run))
      if (event.type === "ask-start" && !answered.has(event.ask)) {
        answered.add(event.ask);
        await runner.answer(run, event.ask, decide(event, answered.size - 1));
      }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { ...(await over), run };
};
