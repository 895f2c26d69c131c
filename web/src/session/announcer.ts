import type { Entry, Event, EventOf } from "runcast/events";
import type { RunState } from "runcast/state";
import { type Cell, createCell } from "../kit/cell.ts";

/** One sentence that a screen reader is to say, once. */
export interface Announcement {
  readonly id: number;
  readonly text: string;
}

/** Turns what happens in a run into sentences: finished messages, outcomes of tools, and what waits for a person. */
export interface Announcer {
  /** Those that were said last; older ones are gone. */
  readonly said: Cell<readonly Announcement[]>;
  say(text: string): void;
  /** An entry of a run that was just folded into its state. What is not `isNew` is known to whoever listens, and not said. */
  hear(run: string, state: RunState, entry: Entry, isNew: boolean): void;
}

const KEPT = 6;
const LONGEST = 600;
const HEARD = "runcast.heard";

export const createAnnouncer = (): Announcer => {
  const said = createCell<readonly Announcement[]>([]);
  /** By run: the last entry that was heard, before a reload too. */
  const reached = new Map<string, number>(readHeard());
  let count = 0;
  addEventListener("pagehide", () => sessionStorage.setItem(HEARD, JSON.stringify([...reached].slice(-KEPT))));

  const say = (text: string): void => said.set([...said.get().slice(1 - KEPT), { id: ++count, text }]);
  const hear: Announcer["hear"] = (run, state, { seq, event }, isNew) => {
    const before = reached.get(run) ?? 0;
    if (seq <= before) return;
    reached.set(run, seq);
    const text = isNew ? textOf(state, event) : undefined;
    if (text) say(text);
  };
  return { said, say, hear };
};

const textOf = (state: RunState, event: Event): string | undefined => {
  switch (event.type) {
    case "tool-end":
      return outcomeText(nameOf(state, event.call) ?? "A tool", event);
    case "text-end": {
      const part = state.nodes.get(event.part);
      // The words of sub-agents and tools are on their cards; their results are what is told.
      if (part?.kind !== "text" || part.agent !== undefined || part.call !== undefined) return undefined;
      const text = part.text.trim();
      return text.length > LONGEST ? `${text.slice(0, LONGEST)} … and more.` : text;
    }
    case "ask-start":
      return askText(event, nameOf(state, event.call));
    case "run-end":
      return event.outcome === "done" ? undefined : `The run ended: ${event.error?.message ?? event.outcome}.`;
    default:
      return undefined;
  }
};

const nameOf = (state: RunState, call: string | undefined): string | undefined => {
  const node = call === undefined ? undefined : state.nodes.get(call);
  return node?.kind === "call" ? (node.title ?? node.name) : undefined;
};

const readHeard = (): [string, number][] => {
  try {
    return JSON.parse(sessionStorage.getItem(HEARD) ?? "[]") as [string, number][];
  } catch {
    return [];
  }
};

const OUTCOMES = {
  ok: "finished",
  error: "failed",
  denied: "was denied",
  cancelled: "was cancelled",
  timeout: "timed out",
  interrupted: "was interrupted",
  deferred: "waits for this page to run it",
} as const;

const outcomeText = (name: string, { outcome, error }: EventOf<"tool-end">): string =>
  `${name} ${OUTCOMES[outcome]}${error && outcome !== "ok" ? `: ${error.message}` : ""}.`;

const askText = ({ kind, title, message }: EventOf<"ask-start">, name: string | undefined): string => {
  const about = title ?? message ?? name;
  const what = kind === "approval" || kind === "confirmation" ? "Your approval is needed" : "The run has a question";
  return about ? `${what}: ${about}` : `${what}.`;
};
