import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Event } from "../events.ts";
import type { Control, Given, Log } from "../log.ts";
import type { AnswerResult, CancelResult, CancelTarget } from "../runner.ts";
import { Refusal } from "../source.ts";
import { createVerifier, type Verifier } from "../verify.ts";
import { createAsks, isAboutAsk } from "./asks.ts";
import { revokes } from "./permissions.ts";
import { pagesOf } from "./resume.ts";

/** Cancels and answers for runs that another process owns, or that wait to be taken over. */
export interface Remote {
  cancel(run: string, target: CancelTarget): Promise<CancelResult>;
  answer(run: string, ask: string, answer: Given, by: string | undefined): Promise<AnswerResult>;
}

type Wanted = Control extends infer Kind ? (Kind extends Control ? Omit<Kind, "id"> : never) : never;

/** `waitMs`: how long to wait for the effect to appear in the log. */
export const createRemote = (log: Log, waitMs: number): Remote => {
  const learn = async (run: string, take: (event: Event) => void): Promise<Verifier> => {
    const verifier = createVerifier();
    for await (const entries of pagesOf(log, run)) {
      for (const { event } of entries) {
        verifier.check(event);
        take(event);
      }
    }
    return verifier;
  };

  /** Sends a control and waits for the event that shows its effect. Undefined: the run ended in the meantime. */
  const send = async <Found>(
    run: string,
    after: number,
    wanted: Wanted,
    look: (event: Event) => Found | undefined,
  ): Promise<Found | undefined> => {
    const sent = await log.send(run, { ...wanted, id: randomUUID() } as Control);
    if (sent === "full") throw tooMany(run);
    const found = await untilShown(log, run, after, look, sent === "ended" ? 0 : waitMs);
    if (found === undefined && sent !== "ended") throw notConfirmed(run);
    return found;
  };

  return {
    async cancel(run, { call, agent, by, reason }) {
      const verifier = await learn(run, () => {});
      if (verifier.ended) return "ended";
      const target = call !== undefined ? verifier.calls.get(call) : verifier.agents.get(agent ?? "");
      const isWhole = call === undefined && agent === undefined;
      if (!isWhole && !target) return "unknown";
      if (target && ("phase" in target ? target.phase === "ended" : !target.open)) return "ended";
      const wanted: Wanted = {
        kind: "cancel",
        ...(call !== undefined && { call }),
        ...(agent !== undefined && { agent }),
        ...(by !== undefined && { by }),
        ...(reason !== undefined && { reason }),
      };
      const outcome = await send(run, verifier.seq, wanted, (event) => {
        if (event.type === "run-end") return event.outcome;
        if (event.type === "tool-end" && event.call === call) return event.outcome;
        return event.type === "agent-end" && event.agent === agent ? event.outcome : undefined;
      });
      return outcome === "cancelled" ? "cancelled" : "ended";
    },

    async answer(run, ask, answer, by) {
      const asks = createAsks(() => {});
      const verifier = await learn(run, (event) => {
        if (isAboutAsk(event)) asks.replay(event);
      });
      // The same checks and results as in the process that owns the run.
      const result = asks.answer(verifier.asks.get(ask), answer, by);
      if (result !== "accepted") return result;
      const wanted: Wanted = { kind: "answer", ask, answer, ...(by !== undefined && { by }) };
      if (answer.revoke) {
        const isRevoked = await send(run, verifier.seq, wanted, (event) =>
          event.type === "run-end" ? false : revokes(event, ask) || undefined,
        );
        return isRevoked ? "accepted" : "closed";
      }
      const end = await send(run, verifier.seq, wanted, (event) =>
        event.type === "ask-end" && event.ask === ask ? event : undefined,
      );
      if (end?.outcome !== "answered") return "closed";
      return isDeepStrictEqual(end.answer, answer) ? "accepted" : "conflict";
    },
  };
};

const untilShown = async <Found>(
  log: Log,
  run: string,
  from: number,
  look: (event: Event) => Found | undefined,
  waitMs: number,
): Promise<Found | undefined> => {
  let woken = Promise.withResolvers<void>();
  let isLate = waitMs <= 0;
  const stop = log.watch(run, () => woken.resolve());
  const timer = setTimeout(() => {
    isLate = true;
    woken.resolve();
  }, waitMs);
  try {
    for (let after = from; ;) {
      woken = Promise.withResolvers();
      for await (const entries of pagesOf(log, run, after)) {
        for (const { seq, event } of entries) {
          after = seq;
          const found = look(event);
          if (found !== undefined) return found;
        }
      }
      if (isLate) return undefined;
      await woken.promise;
    }
  } finally {
    clearTimeout(timer);
    stop();
  }
};

const notConfirmed = (run: string): Refusal =>
  new Refusal("not-confirmed", `no process has handled this request for run ${run} yet`, {
    status: 504,
    retryable: true,
    hint: "it stays queued for the process that owns the run; check the run before you send it again",
  });

const tooMany = (run: string): Refusal =>
  new Refusal("too-many-controls", `too many cancels and answers are queued for run ${run}`, {
    status: 503,
    retryable: true,
    hint: "wait until a process has taken the run over",
  });
