import type { Entry, Event } from "./events.ts";
import { Ledger, type OpenAgent, type OpenAsk, type OpenCall, type OpenPart } from "./verify/ledger.ts";
import { endsCut } from "./verify/resume-rule.ts";
import { ruleOf, type Run } from "./verify/rules.ts";
import { misfitOf } from "./verify/vocabulary.ts";

export { misfitOf } from "./verify/vocabulary.ts";
export type { OpenAgent, OpenAsk, OpenCall, OpenPart };

/** The first thing wrong with a log: where, and in words that say which rule of PROTOCOL.md it breaks. */
export interface Violation {
  readonly seq: number;
  readonly message: string;
}

/** Checks a whole log. Undefined means that it is a complete, grammatical run of events of the vocabulary. */
export const verify = (entries: Iterable<Entry>): Violation | undefined => {
  const verifier = createVerifier();
  let seq = 0;
  let at = 0;
  for (const entry of entries) {
    if (entry.seq !== seq + 1)
      return { seq: entry.seq, message: `seq ${entry.seq} follows ${seq}: a log counts from 1 without gaps` };
    seq = entry.seq;
    if (entry.at < at) return { seq, message: `at ${entry.at} follows ${at}: time does not run backwards in a log` };
    at = entry.at;
    const message = misfitOf(entry.event) ?? verifier.check(entry.event);
    if (message) return { seq, message };
  }
  return verifier.ended ? undefined : { seq: seq + 1, message: "the log ends without a run-end" };
};

/**
 * The grammar, one event (see `misfitOf`) at a time. `check` answers what is wrong with an event in this place, or nothing; an event that is
 * wrong changes nothing. What is open can be read at any time, so that whoever writes a log can close it from the inside out.
 */
export interface Verifier {
  check(event: Event): string | undefined;
  readonly started: boolean;
  readonly ended: boolean;
  /** How many events were taken in: the seq of the last one, of a log that is checked from its start. */
  readonly seq: number;
  /** The seq of the last event that is no end of something cut: the least that the `after` of a run-resume may name. */
  readonly lastWork: number;
  readonly root: OpenAgent;
  /** By id, also those that have ended. */
  readonly agents: ReadonlyMap<string, OpenAgent>;
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly asks: ReadonlyMap<string, OpenAsk>;
  readonly parts: ReadonlyMap<string, OpenPart>;
  /** Whether any part, call, ask, step or agent of the run has had this id. */
  has(id: string): boolean;
}

export const createVerifier = (): Verifier => new Grammar();

class Grammar extends Ledger implements Run, Verifier {
  started = false;
  ended = false;
  protocol = 0;
  seq = 0;
  lastWork = 0;

  check(event: Event): string | undefined {
    if (this.ended) return `${event.type} after run-end: nothing follows it`;
    if (!this.started && event.type !== "run-start") return `the first event is ${event.type}, not run-start`;
    const wrong = ruleOf(event)(this, event);
    if (wrong !== undefined) return wrong;
    this.seq++;
    if ("delta" in event || !endsCut(event)) this.lastWork = this.seq;
    return undefined;
  }
}
