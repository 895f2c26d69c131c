import type { Entry, EventOf } from "runcast/events";
import { type Cell, createCell } from "./cell.ts";

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
  /** What is not `isNew` is known to whoever listens: it is taken note of and not said. */
  hear(run: string, entry: Entry, isNew: boolean): void;
}

const KEPT = 6;
const LONGEST = 600;
const HEARD = "runcast.heard";

export const createAnnouncer = (): Announcer => {
  const said = createCell<readonly Announcement[]>([]);
  const names = new Map<string, string>();
  const texts = new Map<string, string>();
  /** By run: the last entry that was heard, before a reload too. */
  const reached = new Map<string, number>(readHeard());
  let isQuiet = false;
  let count = 0;
  addEventListener("pagehide", () => sessionStorage.setItem(HEARD, JSON.stringify([...reached].slice(-KEPT))));

  const say = (text: string): void => {
    if (!isQuiet) said.set([...said.get().slice(1 - KEPT), { id: ++count, text }]);
  };

  const hear: Announcer["hear"] = (run, entry, isNew) => {
    isQuiet = !isNew || entry.seq <= (reached.get(run) ?? 0);
    reached.set(run, Math.max(entry.seq, reached.get(run) ?? 0));
    take(run, entry);
    isQuiet = false;
  };
  const take = (run: string, { event }: Entry): void => {
    switch (event.type) {
      case "tool-start":
        names.set(`${run} ${event.call}`, event.title ?? event.name);
        return;
      case "tool-end":
        say(outcomeText(names.get(`${run} ${event.call}`) ?? "A tool", event));
        names.delete(`${run} ${event.call}`);
        return;
      case "text-start":
        // The words of sub-agents and tools are on their cards; their results are what is told.
        if (event.agent === undefined && event.call === undefined) texts.set(`${run} ${event.part}`, "");
        return;
      case "text-delta": {
        const text = texts.get(`${run} ${event.part}`);
        if (text !== undefined && text.length < LONGEST) texts.set(`${run} ${event.part}`, text + event.delta);
        return;
      }
      case "text-end": {
        const text = texts.get(`${run} ${event.part}`)?.trim();
        texts.delete(`${run} ${event.part}`);
        if (text) say(text.length > LONGEST ? `${text.slice(0, LONGEST)} … and more.` : text);
        return;
      }
      case "ask-start":
        say(askText(event, event.call === undefined ? undefined : names.get(`${run} ${event.call}`)));
        return;
      case "run-end":
        if (event.outcome !== "done") say(`The run ended: ${event.error?.message ?? event.outcome}.`);
    }
  };
  return { said, say, hear };
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
