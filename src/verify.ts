import type { Entry, Event } from "./events.ts";
import { Ledger, type OpenAgent, type OpenAsk, type OpenCall, type OpenPart } from "./verify/ledger.ts";
import { endsCut } from "./verify/resume-rule.ts";
import { ruleOf, type Run } from "./verify/rules.ts";
import { eventProblem } from "./verify/vocabulary.ts";

export { eventProblem } from "./verify/vocabulary.ts";
export type { OpenAgent, OpenAsk, OpenCall, OpenPart };

/** The first problem in a log: its position, and a message that names the violated rule of PROTOCOL.md. */
export interface Violation {
  readonly seq: number;
  readonly message: string;
}

/** Checks a whole log. Returns undefined if it is a complete and valid run. */
export const verify = (entries: Iterable<Entry>): Violation | undefined => {
  const verifier = createVerifier();
  let seq = 0;
  let at = 0;
  for (const entry of entries) {
    if (entry.seq !== seq + 1)
      return { seq: entry.seq, message: `seq ${entry.seq} follows ${seq}: a log must count from 1 without gaps` };
    seq = entry.seq;
    if (entry.at < at) return { seq, message: `at ${entry.at} follows ${at}: times must not decrease` };
    at = entry.at;
    const message = eventProblem(entry.event) ?? verifier.check(entry.event);
    if (message) return { seq, message };
  }
  return verifier.ended ? undefined : { seq: seq + 1, message: "the log ends without a run-end" };
};

/**
 * Checks the grammar, one event (see `eventProblem`) at a time. `check` returns what is wrong with an event at this point,
 * or undefined. An invalid event changes nothing. The open nodes can be read at any time, so a log writer can
 * close them from the inside out.
 */
export interface Verifier {
  check(event: Event): string | undefined;
  readonly started: boolean;
  readonly ended: boolean;
  /** The number of accepted events. Equals the seq of the last one if the log is checked from its start. */
  readonly seq: number;
  /** The seq of the last event that does not merely end something cut: the minimum for the `after` of a run-resume. */
  readonly lastWork: number;
  readonly root: OpenAgent;
  /** By id, including those that have ended. */
  readonly agents: ReadonlyMap<string, OpenAgent>;
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly asks: ReadonlyMap<string, OpenAsk>;
  readonly parts: ReadonlyMap<string, OpenPart>;
  /** Whether any part, call, ask, step, or agent of the run has used this id. */
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
    if (this.ended) return `${event.type} after run-end, which must be the last event`;
    if (!this.started && event.type !== "run-start") return `the first event is ${event.type}, not run-start`;
    const wrong = ruleOf(event)(this, event);
    if (wrong !== undefined) return wrong;
    this.seq++;
    if ("delta" in event || !endsCut(event)) this.lastWork = this.seq;
    return undefined;
  }
}
