import type { RunnableAgent } from "../runner.ts";
import type { Source } from "../source.ts";
import type { Limits } from "./limits.ts";
import { HttpRefusal } from "./refusals.ts";
import { Place } from "./run-queue/place.ts";
import { startingAfter } from "./run-queue/starting-after.ts";

/**
 * Limits concurrent runs in this process, per user and in total. Further runs wait in a FIFO queue and log their
 * position as a status, so every viewer sees it. A run keeps its slot until it ends.
 */
export interface RunQueue {
  /** The same agent with queued runs. Refuses a run if the queue is full, but never a run that is taken over. */
  queued(agent: RunnableAgent): RunnableAgent;
  /** A run's position in the queue, from 1. Undefined unless it is waiting. */
  position(run: string): number | undefined;
  readonly waiting: number;
}

type QueueLimits = Pick<Limits, "concurrentRuns" | "userConcurrentRuns" | "queuedRuns" | "userQueuedRuns">;

export const createRunQueue = (limits: QueueLimits): RunQueue => {
  const line = new Map<string, Place>();
  const atWork = new Map<string | undefined, number>();
  const sources = new WeakMap<Source, Source>();
  let all = 0;

  const isFull = (user: string | undefined) =>
    user !== undefined && (atWork.get(user) ?? 0) >= limits.userConcurrentRuns;
  const enter = (user: string | undefined): void => {
    all++;
    atWork.set(user, (atWork.get(user) ?? 0) + 1);
  };
  const leave = (user: string | undefined): void => {
    all--;
    const left = (atWork.get(user) ?? 1) - 1;
    if (left > 0) atWork.set(user, left);
    else atWork.delete(user);
    moveUp();
  };
  /** Admits the runs at the front that may start, and updates the positions of the others. */
  const moveUp = (): void => {
    if (line.size === 0) return;
    for (const [run, place] of line) {
      if (all >= limits.concurrentRuns) break;
      if (isFull(place.user)) continue;
      line.delete(run);
      enter(place.user);
      place.admit();
    }
    const before = new Map<string | undefined, number>();
    let others = 0;
    for (const place of line.values()) {
      const own = (before.get(place.user) ?? 0) + 1;
      before.set(place.user, own);
      if (isFull(place.user)) place.moveTo(own, { most: limits.userConcurrentRuns, scope: "user" });
      else place.moveTo(++others, { most: limits.concurrentRuns, scope: "server" });
    }
  };
  const check = (user: string | undefined): void => {
    if (line.size >= limits.queuedRuns) throw lineIsFull(limits.concurrentRuns, limits.queuedRuns);
    if (user === undefined) return;
    const own = [...line.values()].filter((place) => place.user === user).length;
    if (own >= limits.userQueuedRuns) throw ownLineIsFull(limits.userConcurrentRuns, limits.userQueuedRuns);
  };

  const wrap = (source: Source): Source => {
    const known = sources.get(source);
    if (known) return known;
    const { resume } = source;
    const start: Source = (request, context) => {
      const user = request.user?.id;
      const release = () => leave(user);
      if (all < limits.concurrentRuns && !isFull(user)) {
        enter(user);
        context.signal.addEventListener("abort", release, { once: true });
        // Events pass from the source to the runner without a wrapper.
        return source(request, context);
      }
      check(user);
      return inLine(context.run, user, context.signal, () => source(request, context));
    };
    const inLine = (run: string, user: string | undefined, signal: AbortSignal, begin: () => ReturnType<Source>) => {
      const place = new Place(user);
      line.set(run, place);
      moveUp();
      const release = () => {
        if (line.delete(run)) {
          place.giveUp();
          moveUp();
        } else leave(user);
      };
      signal.addEventListener("abort", release, { once: true });
      return startingAfter(place, begin);
    };
    const wrapped = Object.assign(start, source, {
      ...(resume && {
        resume: ((request, context, past) => {
          const user = request.user?.id;
          const go = () => resume(request, context, past);
          // It only stops on another server.
          if (context.signal.aborted) return go();
          // A run that was queued when its process died is queued again. Work in progress continues immediately.
          if (past.state.root.items.length === 0 && !source.follows && (all >= limits.concurrentRuns || isFull(user)))
            return inLine(context.run, user, context.signal, go);
          enter(user);
          context.signal.addEventListener("abort", () => leave(user), { once: true });
          return go();
        }) satisfies Source["resume"],
      }),
    });
    sources.set(source, wrapped);
    return wrapped;
  };

  return {
    queued: ({ name, source }) => ({ name, source: wrap(source) }),
    position: (run) => line.get(run)?.position,
    get waiting() {
      return line.size;
    },
  };
};

const lineIsFull = (most: number, waiting: number): HttpRefusal =>
  refusal(
    `this server has reached its limit of active runs (${most})${waiting > 0 ? ` and queued runs (${waiting})` : ""}`,
    "limits.concurrentRuns and limits.queuedRuns",
  );

const ownLineIsFull = (most: number, waiting: number): HttpRefusal =>
  refusal(
    `you have reached your limit of active runs (${most})${waiting > 0 ? ` and queued runs (${waiting})` : ""}`,
    "limits.userConcurrentRuns and limits.userQueuedRuns",
  );

const refusal = (message: string, settings: string): HttpRefusal =>
  new HttpRefusal(
    429,
    "too-many-runs",
    message,
    `try again when a run has ended; the settings ${settings} set the limits`,
    { headers: { "retry-after": "2" }, retryable: true },
  );
