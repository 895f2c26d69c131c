import { setImmediate } from "node:timers/promises";
import { type Action, type Principal, actorOf } from "../access.ts";
import type { AskAnswer, RunRef } from "../dialect.ts";
import type { Log, RunInfo } from "../log.ts";
import type { Runner } from "../runner.ts";
import { createSegments } from "../segments.ts";
import { Refusal } from "../source.ts";
import type { Owners } from "./owners.ts";
import { missing } from "./refusals.ts";

type Thread = Exclude<RunRef, string>;
type Answers = readonly AskAnswer[];

/** Operations for clients that know conversations but not runs. */
export interface Threads {
  /** Throws a Refusal if the thread has no run. */
  latest(thread: Thread, action: Action, principal: Principal): Promise<RunInfo>;
  /** Gives the answers to the thread's run with these asks. Returns where its next segment begins. */
  answer(
    thread: Thread,
    answers: Answers,
    principal: Principal,
  ): Promise<{ readonly run: string; readonly after: number }>;
  /** Throws a Refusal if the thread's latest run has open asks. */
  refuseWhileAsked(thread: Thread, principal: Principal): Promise<void>;
  /** The seq after which the run's current segment begins. */
  segmentStart(run: string): Promise<number>;
}

/** How many of a thread's runs are searched for an ask. Clients only answer recent ones. */
const RUNS = 10;
const BATCH = 64;

export const createThreads = (log: Log, runner: Runner, owners: Owners): Threads => {
  /** The only place that decides which runs of a thread a caller may address through it. */
  const runsOf = async ({ thread, agent }: Thread, limit: number, action: Action, principal: Principal) =>
    (await owners.list(principal, { thread, limit, ...(agent !== undefined && { agent }) }, action)).runs;

  const asked = async (thread: Thread, answers: Answers, principal: Principal) => {
    for (const { run } of await runsOf(thread, RUNS, "answer", principal)) {
      const division = await divide(log, run);
      if (answers.every(({ ask }) => division.asked.has(ask))) return { run, division };
    }
    const [first] = answers;
    throw new Refusal("unknown-ask", `no run in this thread has the question ${(first?.ask ?? "").slice(0, 100)}`, {
      status: 404,
      hint: "answer with the ids of the open questions in the thread's latest run",
    });
  };

  return {
    async latest(thread, action, principal) {
      owners.allow(principal, action);
      const [latest] = await runsOf(thread, 1, action, principal);
      if (!latest || (thread.open && latest.endedAt !== undefined))
        throw missing(`thread ${thread.thread.slice(0, 100)} has no ${thread.open ? "open " : ""}run`, false);
      return await owners.info(principal, action, latest.run);
    },

    async answer(thread, answers, principal) {
      owners.allow(principal, "answer");
      if (answers.length === 0) throw new Refusal("bad-request", "the list of answers is empty");
      const { run, division } = await asked(thread, answers, principal);
      const given = new Set(answers.map(({ ask }) => ask));
      const seen = segmentSeen(division, given);
      const left = division.openAsks.filter((ask) => !given.has(ask) && seen?.asks.includes(ask));
      // Many agents continue only with all answers, so a stream that waits for the others would never end.
      if (left.length > 0) throw asksOpen(run, left, "answer these too, in the same request");
      // Given together, so no event of the run comes between two answers of one request.
      const results = await Promise.all(
        answers.map(({ ask, answer }) => runner.answer(run, ask, answer, actorOf(principal))),
      );
      if (results.includes("unknown"))
        throw new Refusal("not-here", `run ${run} cannot be answered in this process`, { status: 404 });
      return { run, after: seen?.seq ?? division.seq };
    },

    async refuseWhileAsked(thread, principal) {
      const [latest] = await runsOf(thread, 1, "start", principal);
      if (!latest || latest.endedAt !== undefined) return;
      const { openAsks } = await divide(log, latest.run);
      if (openAsks.length > 0) throw asksOpen(latest.run, openAsks, "answer them, or cancel the run, first");
    },

    async segmentStart(run) {
      const { ends, seq } = await divide(log, run);
      return ends.findLast((end) => end.seq < seq)?.seq ?? 0;
    },
  };
};

/** Where a segment ends, and the asks open there. */
interface SegmentEnd {
  readonly seq: number;
  readonly asks: readonly string[];
}

/** The segments of a run so far. */
interface Division {
  readonly ends: readonly SegmentEnd[];
  /** All asks, open or ended. */
  readonly asked: ReadonlySet<string>;
  readonly openAsks: readonly string[];
  readonly seq: number;
}

const divide = async (log: Log, run: string): Promise<Division> => {
  const segments = createSegments();
  const ends: SegmentEnd[] = [];
  const asked = new Set<string>();
  for (let seq = 0; ;) {
    const entries = await log.read(run, seq, BATCH);
    if (entries.length === 0) return { ends, asked, openAsks: segments.openAsks, seq };
    for (const entry of entries) {
      if (entry.event.type === "ask-start") asked.add(entry.event.ask);
      if (segments.take(entry.event)) ends.push({ seq: entry.seq, asks: segments.openAsks });
      seq = entry.seq;
    }
    await setImmediate();
  }
};

/** The end of the segment that a client answering these asks has seen: the one where exactly they were open. */
const segmentSeen = ({ ends }: Division, given: ReadonlySet<string>): SegmentEnd | undefined => {
  const withAll = ends.filter(({ asks }) => asks.filter((ask) => given.has(ask)).length === given.size);
  return (
    withAll.findLast(({ asks }) => asks.length === given.size) ??
    withAll.at(-1) ??
    ends.findLast(({ asks }) => asks.some((ask) => given.has(ask)))
  );
};

const asksOpen = (run: string, asks: readonly string[], hint: string): Refusal => {
  const names = asks.slice(0, 5).join(", ") + (asks.length > 5 ? ", …" : "");
  return new Refusal("asks-open", `run ${run} in this thread is waiting for an answer to ${names}`, {
    status: 409,
    hint,
  });
};
